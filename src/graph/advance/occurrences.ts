import type { Draft } from '../draft/draft.ts';
import { recordOccurrence } from '../draft/emit.ts';
import { findTask } from '../draft/frames.ts';
import { expiredBy } from '../lifecycle/ask-to-compensate.ts';
import { cancelRun } from '../lifecycle/cancel.ts';
import { expireAskedCompensation } from '../lifecycle/compensation.ts';
import { DEADLINE_TIMER } from '../run/ids.ts';
import type { Occurrence } from '../run/occurrence.ts';
import { isBeingCanceled } from '../run/status.ts';
import { receiveSignal } from '../signals/receive-signal.ts';
import { deliver } from '../superstep/deliver.ts';
import type { RunError } from '../values/errors.ts';
import { takeResult } from './take-result.ts';

type Handler<K extends Occurrence['kind']> = (
  draft: Draft,
  occurrence: Occurrence & { readonly kind: K },
) => RunError | void;

/** The handler of each kind of occurrence; `advance` runs supersteps afterwards. */
const handlers: { readonly [K in Occurrence['kind']]: Handler<K> } = {
  'call.completed': takeResult,
  'call.failed': takeResult,
  timer: fireTimer,
  signal: (draft, { name, payload }) => receiveSignal(draft, name, payload),
  'cancel.requested': cancelByTemporal,
  continue: () => undefined,
};

export function handleOccurrence<K extends Occurrence['kind']>(
  draft: Draft,
  occurrence: Occurrence & { readonly kind: K },
): RunError | void {
  const handle: Handler<K> = handlers[occurrence.kind];
  return handle(draft, occurrence);
}

function cancelByTemporal(draft: Draft): void {
  if (!isBeingCanceled(draft.run)) recordOccurrence(draft, { kind: 'cancel.requested' });
  cancelRun(draft, 'temporal-operator', 'The workflow was canceled');
}

function fireTimer(draft: Draft, { id, fireAt }: Occurrence & { kind: 'timer' }): RunError | undefined {
  const timer = draft.takeTimer(id, fireAt);
  if (!timer) return undefined;
  recordOccurrence(draft, { kind: 'timer', id });
  if (id === DEADLINE_TIMER)
    return { code: 'DEADLINE_EXCEEDED', message: `The deadline of ${draft.run.limits.deadlineMs} ms is over` };
  const asked = expiredBy(draft, id);
  if (asked) expireAskedCompensation(draft, asked);
  else deliver(findTask(draft, timer.taskPath), { kind: 'timer', id });
  return undefined;
}
