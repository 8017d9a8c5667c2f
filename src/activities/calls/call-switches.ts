import { calleeOf } from '../../graph/run/index.ts';
import type { CallRequest } from '../../graph/run/index.ts';
import { findSwitchedOff } from '../../store/known-overrides.ts';
import type { Store } from '../../store/store.ts';
import type { Switch } from '../../store/switches.ts';
import type { SwitchKind } from '../../store/tables.ts';
import type { CallTask } from './call-task.ts';
import { postponeCall } from './postpone-call.ts';

/** The bounds of the delay of a call that waits for a switch. */
const MIN_SWITCHED_OFF_DELAY_MS = 5_000;
const MAX_SWITCHED_OFF_DELAY_MS = 10_000;

const SWITCH_OF: Readonly<Record<CallRequest['kind'], SwitchKind>> = {
  tool: 'tool',
  model: 'model',
  function: 'function',
  node: 'node-type',
  reading: 'tool',
};

/** Finds the switch that keeps a call from being made. @returns `null`: it may be made */
export async function switchOf({ overrides }: Store, { request, tenantId }: CallTask): Promise<Switch | null> {
  const { kind, name } = calleeOf(request);
  return findSwitchedOff(await overrides.now(), { kind: SWITCH_OF[kind], name }, tenantId);
}

/**
 * Makes a call unless its tool, model or code is disabled; then it is postponed.
 * @throws ApplicationFailure `SWITCHED_OFF`, which the server retries
 */
export async function whenSwitchedOn<T>(store: Store, task: CallTask, call: () => Promise<T>): Promise<T> {
  const off = await switchOf(store, task);
  if (off) {
    const retryAfterMs =
      MIN_SWITCHED_OFF_DELAY_MS + Math.random() * (MAX_SWITCHED_OFF_DELAY_MS - MIN_SWITCHED_OFF_DELAY_MS);
    const message = `The ${off.kind} ${off.name} is switched off: ${off.reason}`;
    await postponeCall(store, task, { code: 'SWITCHED_OFF', message, retryAfterMs });
  }
  return await call();
}
