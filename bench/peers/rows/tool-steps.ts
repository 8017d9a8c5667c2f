import { timed } from './row.ts';
import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

const STEPS = sized(100, 2);

/** What a tool step costs in a run of many, one after another. */
export const toolSteps: Row = {
  name: 'tool-steps',
  title: `a tool step, of ${STEPS} in sequence, ms`,
  isLessBetter: true,
  samples: 1,
  shares: STEPS,
  measure: async (peer) => (await timed(() => peer.toolSteps(STEPS))) / STEPS,
};
