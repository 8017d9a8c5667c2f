import { calleeOf } from '../../../graph/run/index.ts';
import type { CallRequest } from '../../../graph/run/index.ts';
import { switchedOff } from '../../../store/rulings/known-rulings.ts';
import type { SwitchKind } from '../../../store/rulings/rulings-tables.ts';
import type { Switch } from '../../../store/rulings/switches.ts';
import type { Store } from '../../../store/store.ts';
import { tryAgainLater } from '../application-failure.ts';
import type { CallTask } from '../call-task.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { timeLeft } from '../in-call-slot.ts';
import { writeJournal } from '../write-journal.ts';

/** The bounds of the time after which a call that waits for a switch comes back. */
const MIN_RETRY_AFTER_MS = 5_000;
const MAX_RETRY_AFTER_MS = 10_000;

const SWITCH_OF: Readonly<Record<CallRequest['kind'], SwitchKind>> = {
  tool: 'tool',
  model: 'model',
  function: 'function',
  node: 'node-type',
};

/** Finds the switch that keeps a call from being made. @returns `null`: it may be made */
export async function switchOf({ rulings }: Store, { request, tenantId }: CallTask): Promise<Switch | null> {
  const { kind, name } = calleeOf(request);
  return switchedOff(await rulings.now(), { kind: SWITCH_OF[kind], name }, tenantId);
}

/**
 * Makes a call unless its tool, model or code is switched off. Then it writes only the journal that travels with the call,
 * and the server tries again later. That comes before the claim, so the ledger counts no attempt.
 * @throws ApplicationFailure `SWITCHED_OFF`, which the server retries
 */
export async function whenSwitchedOn<T>(store: Store, task: CallTask, call: () => Promise<T>): Promise<T> {
  const off = await switchOf(store, task);
  if (!off) return await call();
  const leftMs = timeLeft(task);
  // A call whose deadline is over is not made any more: the ledger records how it ends.
  if (leftMs <= 0) return await call();
  await withHeartbeat(task.request.policy.heartbeatMs, async () => await writeJournal(store, task));
  const delayMs = MIN_RETRY_AFTER_MS + Math.random() * (MAX_RETRY_AFTER_MS - MIN_RETRY_AFTER_MS);
  const message = `The ${off.kind} ${off.name} is switched off: ${off.reason}`;
  throw tryAgainLater('SWITCHED_OFF', message, Math.min(delayMs, leftMs));
}
