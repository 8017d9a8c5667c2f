import { timed } from './row.ts';
import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

const CALLS = sized(100, 2);

/** The duration of one run with many parallel calls. */
export const fanOut: Row = {
  name: 'fan-out',
  title: `a run of ${CALLS} calls at once, ms`,
  isLessBetter: true,
  samples: sized(3, 1),
  shares: CALLS,
  measure: async (peer) => await timed(() => peer.fanOut(CALLS)),
};
