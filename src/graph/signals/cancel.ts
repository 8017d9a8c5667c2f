import { cancelRun } from '../lifecycle/cancel.ts';
import { REASON, taken, textOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Cancels the run: its calls, timers and approvals are canceled, and no new work begins. */
export const cancel: SignalKind = {
  description: 'End the run as canceled: {"reason"?}',
  properties: { reason: REASON },
  alsoTaken: 'ending',
  handle(draft, { payload, by }) {
    cancelRun(draft, by.sub, textOf(payload, 'reason') ?? null);
    return taken();
  },
};
