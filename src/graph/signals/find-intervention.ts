import type { Draft } from '../draft/draft.ts';
import { tasksOfRun, keyOfCall } from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { interventionId, mayMeanIntervention } from '../run/ids.ts';
import { refuseSeveral } from '../run/occurrence.ts';
import type { Refusal } from '../run/occurrence.ts';
import type { SavedProgress } from '../run/scope.ts';
import { hasEnded, statusOf } from '../run/status.ts';
import { batchAtPosition, isResumable } from '../run/task-position.ts';
import type { BatchCall } from '../run/tool-batch.ts';
import { isUnknownOutcome } from '../values/errors.ts';
import type { TaskFailure } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { formatTimestamp } from '../values/time.ts';
import { SINCE, refuseUnread } from './refusals.ts';
import type { PossiblyExecutedCall } from '../run/compensation.ts';
import { rememberedLostCalls, repeatsLostCall } from '../run/unknown-outcomes.ts';

/** A failed node, or one failed call of it, that a person may retry, skip or fail. */
export interface OpenIntervention {
  readonly handle: TaskHandle;
  readonly failure: TaskFailure;
  /** The node's saved progress. */
  readonly saved: SavedProgress | null;
  /** The failed call; `null` if the node itself failed. */
  readonly call: BatchCall | null;
  /** The time at which the intervention was requested, or at which the run failed. */
  readonly since: string;
}

/** Fields that name the node; both may be absent if only one intervention exists. */
export const INTERVENTION_FIELDS = { node: { type: 'string' }, id: { type: 'string' }, since: SINCE } as const;

/** Returns the nodes that wait for an intervention or that failed the run, filtered by the payload. */
export function findInterventions(draft: Draft, payload: JsonObject): readonly OpenIntervention[] | Refusal {
  const all = openInterventions(draft);
  const status = statusOf(draft.run);
  if (all.length === 0)
    return status === 'failed'
      ? { code: 'UNKNOWN_INTERVENTION', message: 'The run has not failed at a node: none can be named' }
      : { code: 'NOT_ALLOWED_NOW', message: `The run is ${status}; no node of it waits for an intervention` };
  const chosen = all.filter((one) => mayMeanIntervention(payload, one.handle.task.node, idOfIntervention(one)));
  const [first] = chosen;
  if (first) return refuseUnread(payload, first.since) ?? chosen;
  const message = `That node does not wait for an intervention; these do: ${interventionNames(all)}`;
  return { code: 'UNKNOWN_INTERVENTION', message };
}

/** Returns the one node that a payload names. */
export function findIntervention(draft: Draft, payload: JsonObject): OpenIntervention | Refusal {
  const chosen = findInterventions(draft, payload);
  if ('code' in chosen) return chosen;
  const [only, ...more] = chosen;
  if (only && more.length === 0) return only;
  return refuseSeveral(interventionNames(chosen));
}

/** Refuses to repeat calls with an unknown outcome whose nodes are not named. */
export function refuseUnnamed(unknown: readonly OpenIntervention[]): Refusal {
  const message = `The outcome of a call is unknown; name its node by id to make it again: ${interventionNames(unknown)}`;
  return { code: 'INTERVENTION_ID_REQUIRED', message };
}

function openInterventions(draft: Draft): OpenIntervention[] {
  const { phase } = draft.run;
  const failedAt = phase.kind === 'failed' ? formatTimestamp(phase.endedAt) : null;
  if (hasEnded(draft.run) && failedAt === null) return [];
  return tasksOfRun(draft).flatMap((handle) => {
    const { state } = handle.task;
    if (handle.frame.isFailing && failedAt === null) return [];
    const since = failedAt ?? (state.phase === 'intervention' ? state.since : null);
    const waits = state.phase === 'intervention' || state.phase === 'failed';
    return waits && since !== null
      ? [{ handle, failure: state.failure, saved: state.saved, call: null, since }]
      : interventionCalls(handle, failedAt);
  });
}

/** Returns the calls of an open task that wait for an intervention. */
function interventionCalls(handle: TaskHandle, failedAt: string | null): OpenIntervention[] {
  const { state } = handle.task;
  if (state.phase !== 'open' || !isResumable(state.position)) return [];
  const { position } = state;
  return batchAtPosition(position).flatMap((call) =>
    call.state.phase === 'intervention'
      ? [{ handle, failure: call.state.failure, saved: position, call, since: failedAt ?? call.state.since }]
      : [],
  );
}

function interventionNames(all: readonly OpenIntervention[]): string {
  return all.map((one) => `${idOfIntervention(one)} (${one.handle.task.node})`).join(', ');
}

function idOfIntervention({ handle, call }: OpenIntervention): string {
  return interventionId(handle.frame.executionPath, handle.task, call && call.number);
}

/** Returns the lost call that a person sees: one of a batch, or the one of the node. */
export function visibleLostCall({ handle, failure, call }: OpenIntervention): PossiblyExecutedCall | null {
  if (!isUnknownOutcome(failure.error)) return null;
  const { node, task, taskPath } = handle;
  const ofNode = task.state.phase === 'intervention' ? task.state.call : null;
  const lost = call ? { key: keyOfCall(handle, call.number), tool: call.tool } : ofNode;
  return lost && { key: lost.key, taskPath, called: lost.tool ?? node.id };
}

/** Returns the lost calls that a retry of the node would repeat. */
export function lostCallsOf({ run }: Draft, intervention: OpenIntervention): readonly PossiblyExecutedCall[] {
  if (!repeatsLostCall(intervention)) return [];
  const visible = visibleLostCall(intervention);
  const others = rememberedLostCalls(run, intervention.handle.taskPath).filter(({ key }) => key !== visible?.key);
  return visible ? [visible, ...others] : others;
}

/**
 * Refuses to retry a node with several lost calls, because a person sees only one of them and all would be repeated.
 */
export function refuseSeveralLost(draft: Draft, interventions: readonly OpenIntervention[]): Refusal | null {
  const lost = interventions.map((one) => lostCallsOf(draft, one)).find(({ length }) => length > 1);
  if (!lost) return null;
  const keys = lost.map(({ key }) => key).join(', ');
  const instead = hasEnded(draft.run) ? 'Skip it, or fork the run before it' : 'Skip it, or fail it';
  return { code: 'NOT_ALLOWED_NOW', message: `Several calls of the node may have been made: ${keys}. ${instead}` };
}
