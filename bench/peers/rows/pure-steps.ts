import { timed } from './row.ts';
import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

const STEPS = sized(10, 2);

/** The cost of a run without calls. */
export const pureSteps: Row = {
  name: 'pure-steps',
  title: `a run of ${STEPS} pure steps, start to result, ms`,
  isLessBetter: true,
  samples: sized(15, 1),
  shares: 1,
  measure: async (peer) => await timed(() => peer.pureSteps(STEPS)),
};
