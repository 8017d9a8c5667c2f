import { timed } from './row.ts';
import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

const STEPS = sized(100, 2);

/** The cost of a tool step in a run with many sequential ones. */
export const toolSteps: Row = {
  name: 'tool-steps',
  title: `a tool step, of ${STEPS} in sequence, ms`,
  isLessBetter: true,
  samples: 1,
  shares: STEPS,
  measure: async (peer) => (await timed(() => peer.toolSteps(STEPS))) / STEPS,
};
