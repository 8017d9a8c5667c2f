import { CancellationScope } from '@temporalio/workflow';
import type { CallOutcome, CallTask, LocalOutcome, LocalTraces, SentTask } from '../activities/calls/call-task.ts';
import { capDeadline } from '../graph/definition/index.ts';
import { hidesErrorsOfCall } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import type { CallTrace, JournalBatch } from '../graph/journal/index.ts';
import { calleeName } from '../graph/run/index.ts';
import type { CallEffect, LocalEffect, Principal } from '../graph/run/index.ts';
import type { RunError } from '../graph/values/index.ts';
import { activities, callOptions, localActivities, localOptions, reconcileOptions } from './activities.ts';
import { markCompressed } from './payload-converter.ts';

/** The run that calls belong to. */
export interface CallOwner {
  readonly runId: string;
  readonly tenantId: string;
  /** The name of its graph. */
  readonly graph: string;
  readonly createdBy: Principal;
  /** The current segment; absent if the run is not traced. */
  readonly trace?: CallTrace;
  /** What is hidden of the run; absent if nothing is. */
  readonly redaction?: Redaction;
}

/** A local call that an activity continues. */
export type LeftCall = LocalOutcome & { readonly kind: 'left' };

/** Returns a call with the time that its local attempts have left of its deadline. */
export function withTimeLeft(effect: LocalEffect, { startedAt, endedAt }: LeftCall): LocalEffect {
  const { request } = effect;
  const { deadlineMs } = request.policy;
  if (deadlineMs === null) return effect;
  const leftMs = Math.max(0, deadlineMs - (endedAt - startedAt));
  return { ...effect, request: { ...request, policy: capDeadline(request.policy, leftMs) } };
}

/**
 * Makes a call in an activity.
 * @param journal the batch that the activity writes
 * @param left the traces of local attempts; `null` if there were none
 */
export function callActivity(
  effect: CallEffect,
  owner: CallOwner,
  journal: JournalBatch | null,
  left: LocalTraces | null,
): Promise<CallOutcome> {
  const options = callOptions(effect);
  const task = { ...sentTask(effect, owner), ...localTraces(left) };
  const sent = journal && markCompressed(journal);
  const { request } = effect;
  switch (request.kind) {
    case 'model':
      return activities.callModel.executeWithOptions(options, [{ ...task, request }, sent]);
    case 'tool':
      return activities.callTool.executeWithOptions(options, [{ ...task, request }, sent]);
    case 'function':
      return activities.callFunction.executeWithOptions(options, [{ ...task, request }, sent]);
    case 'node':
      return activities.callNode.executeWithOptions(options, [{ ...task, request }, sent]);
    case 'reading':
      return activities.readArguments.executeWithOptions(options, [{ ...task, request }, sent]);
  }
}

/** Returns the fields that pass the traces of local attempts to the call's activity. */
export function localTraces(left: LocalTraces | null): Pick<CallTask, 'failedLocally' | 'perhapsMadeLocally'> {
  const { failed = null, perhapsMade } = left ?? {};
  return { ...(failed && { failedLocally: failed }), ...(perhapsMade && { perhapsMadeLocally: perhapsMade }) };
}

/** Makes a call in the worker of the workflow task. */
export function callLocally(effect: LocalEffect, owner: CallOwner): Promise<LocalOutcome> {
  const task = { ...sentTask(effect, owner), request: effect.request };
  return localActivities.callLocally.executeWithOptions(localOptions(effect), [task]);
}

function sentTask(
  { key, takeover, node, index, visit, path, isCompensable, shapedBy }: CallEffect,
  { redaction, ...owner }: CallOwner,
): Omit<SentTask, 'request'> {
  return {
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    ...(visit !== undefined && { visit }),
    ...(path && { path }),
    ...(isCompensable && { isCompensable }),
    ...(shapedBy && { shapedBy }),
    ...(redaction && hidesErrorsOfCall(node, key, redaction) && { hidesErrors: true }),
    ...owner,
  };
}

/**
 * Asks the ledger for the outcome of a call.
 * @param givenUp the error with which the server has given it up; `undefined` if it was canceled
 */
export function reconcileWithLedger(
  { key, takeover, node, index, request, summary }: CallEffect,
  { runId, tenantId }: CallOwner,
  givenUp?: RunError,
): Promise<CallOutcome> {
  const call = {
    key,
    takeover,
    node,
    ...(index !== undefined && { index }),
    runId,
    tenantId,
    called: calleeName(request),
    ...(givenUp && { givenUp }),
  };
  const { heartbeatMs } = request.policy;
  return CancellationScope.nonCancellable(() =>
    activities.reconcileCall.executeWithOptions(reconcileOptions(summary), [{ ...call, heartbeatMs }]),
  );
}
