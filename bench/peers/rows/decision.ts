import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

/** The time until a run continues after a decision: from the request to the call of the next step. */
export const decision: Row = {
  name: 'decision',
  title: 'from a decision to the next call, ms',
  isLessBetter: true,
  samples: sized(15, 1),
  shares: null,
  async measure(peer, tool) {
    const asking = await peer.ask();
    const called = tool.nextCall();
    const begin = performance.now();
    const [end] = await Promise.all([called, asking.decide()]);
    await asking.ended();
    return end - begin;
  },
};
