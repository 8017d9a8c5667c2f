import { pauseRequested } from '../run/status.ts';
import { REASON, refused, taken, textOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Stops a running run after its superstep, and a waiting one at once. */
export const pause: SignalKind = {
  description: 'Stop after the superstep that runs: {"reason"?}',
  properties: { reason: REASON },
  handle(draft, { payload, by }) {
    const { run } = draft;
    if (run.phase.kind === 'paused' || pauseRequested(run))
      return refused({
        code: 'NOT_ALLOWED_NOW',
        message: 'The run is paused already, or will be after this superstep',
      });
    draft.enter({ kind: 'running', pause: { by: by.sub, reason: textOf(payload, 'reason') ?? null } });
    return taken();
  },
};
