import { inTurns } from '../../support/in-turns.ts';
import { timed } from './row.ts';
import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

const RUNS = sized(100, 2);
const STEPS = sized(10, 2);

/** The number of tool steps per second under full load. */
export const runsAtOnce: Row = {
  name: 'runs-at-once',
  title: `tool steps a second, ${RUNS} runs of ${STEPS} at once`,
  isLessBetter: false,
  samples: 1,
  shares: RUNS * STEPS,
  measure: async (peer) => {
    const ms = await timed(() => inTurns(RUNS, RUNS, async () => await peer.toolSteps(STEPS)));
    return (RUNS * STEPS * 1_000) / ms;
  },
};
