import type { Row } from './row.ts';
import { sized } from '../../support/size.ts';

/** How long a run takes to go on after a person has decided: from the request to the next step's call. */
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
