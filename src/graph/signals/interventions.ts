import { tryWrite } from '../channels/apply-writes.ts';
import type { Draft } from '../draft/draft.ts';
import {
  emitEvent,
  emitOfRun,
  emitTask,
  withOwnAllowance,
  cancelTimersAndApprovalsOf,
  taskBindings,
} from '../draft/frames.ts';
import type { TaskHandle } from '../draft/frames.ts';
import { requireRoom, setState } from '../draft/scope-draft.ts';
import { retryCompensation, settleUnknownCompensation } from '../lifecycle/compensation.ts';
import { toActor, refuseActingAs } from '../lifecycle/gated-nodes.ts';
import { settlePossiblyExecuted } from '../lifecycle/possibly-executed.ts';
import { raiseLimits, reopenRun } from '../lifecycle/reopen-run.ts';
import { retryTask, deliverIntervention } from '../lifecycle/retry-task.ts';
import { refuseEditor } from '../run/editors.ts';
import { LIMITS_SCHEMA } from '../run/limits.ts';
import type { Refusal } from '../run/occurrence.ts';
import type { Principal } from '../run/principal.ts';
import type { SavedProgress } from '../run/scope.ts';
import { hasEnded } from '../run/status.ts';
import { repeatsLostCall, countUnknownOutcomes } from '../run/unknown-outcomes.ts';
import {
  INTERVENTION_FIELDS,
  findIntervention,
  findInterventions,
  refuseUnnamed,
  refuseSeveralLost,
  visibleLostCall,
  lostCallsOf,
} from './find-intervention.ts';
import type { OpenIntervention } from './find-intervention.ts';
import { refuseCompensated, refuseUnread, refuseBypass } from './refusals.ts';
import { refuseSignal, acceptSignal, REASON, textField } from './signal.ts';
import type { SignalOutcome, SignalKind, SignalRequest } from './signal.ts';
import { failAfterCallsWithin, addErrorLocation } from '../superstep/fail-task.ts';
import { requireAllowedMessages } from '../superstep/run-task.ts';
import { GraphError } from '../values/errors.ts';
import type { RunError, TaskFailure } from '../values/errors.ts';
import type { JsonObject, Json } from '../values/json.ts';
import { formatTimestamp } from '../values/time.ts';

/** Retries a failed node; a failed run continues from all nodes that failed it. */
export const retrySignal: SignalKind = {
  description: 'Do the failed node again: {"node"? | "id"?, "limits"?}',
  properties: { ...INTERVENTION_FIELDS, limits: LIMITS_SCHEMA },
  alsoTaken: 'ended',
  handle: (draft, request) =>
    draft.run.phase.kind === 'failed' ? retryRun(draft, request) : retryNode(draft, request),
  handleCompensation(draft, unknown, { payload, by }) {
    const refusal = raiseLimits(draft, payload['limits']);
    if (refusal) return refuseSignal(refusal);
    emitOfRun(draft, { type: 'run.retried', node: unknown.compensation.task.node, by: by.sub });
    retryCompensation(draft, unknown);
    return acceptSignal();
  },
};

function retryNode(draft: Draft, { payload, by }: SignalRequest): SignalOutcome {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refuseSignal(found);
  const refusal =
    refuseSeveralLost(draft, [found]) ?? refuseEditor(draft.run, by) ?? raiseLimits(draft, payload['limits']);
  if (refusal) return refuseSignal(refusal);
  retryInterventions(draft, [found], by);
  return acceptSignal();
}

function retryRun(draft: Draft, { payload, by }: SignalRequest): SignalOutcome {
  const { phase } = draft.run;
  const unread = phase.kind === 'failed' ? refuseUnread(payload, formatTimestamp(phase.endedAt)) : null;
  const found = unread ?? failedNodes(draft, payload);
  if ('code' in found) return refuseSignal(found);
  const refusal =
    refuseCompensated(draft) ??
    refuseSeveralLost(draft, found) ??
    refuseEditor(draft.run, by) ??
    raiseLimits(draft, payload['limits']);
  if (refusal) return refuseSignal(refusal);
  if (found.length === 0) emitOfRun(draft, { type: 'run.retried', by: by.sub });
  retryInterventions(draft, found, by);
  return acceptSignal();
}

/**
 * Returns the named node, or all failed ones; none if the run failed between nodes, at an edge or a limit. A call with
 * an unknown outcome is retried only if its node is named, even after a person has given it up.
 */
function failedNodes(draft: Draft, payload: JsonObject): readonly OpenIntervention[] | Refusal {
  const found = findInterventions(draft, payload);
  if (payload['node'] !== undefined || payload['id'] !== undefined) return found;
  if ('code' in found) return [];
  const failed = found.filter(({ handle }) => handle.task.state.phase === 'failed');
  const unknown = failed.filter(repeatsLostCall);
  return unknown.length === 0 ? failed : refuseUnnamed(unknown);
}

function retryInterventions(draft: Draft, found: readonly OpenIntervention[], by: Principal): void {
  draft.addEditor(by);
  draft.rememberPossiblyExecuted(found.flatMap((one) => visibleLostCall(one) ?? []));
  for (const one of found) {
    const { frame, node } = one.handle;
    emitEvent(draft, frame, { type: 'run.retried', node: node.id, by: by.sub });
  }
  draft.work.beginSuperstep();
  if (hasEnded(draft.run)) reopenRun(draft);
  for (const { handle, call } of found) {
    if (call) deliverIntervention(handle, { kind: 'call.repeated', number: call.number });
    else retryTask(handle);
  }
}

/** Fails the run at a node that waits for an intervention. */
export const failSignal: SignalKind = {
  description: 'Give the failed node up, the run fails: {"node"? | "id"?, "reason"?}',
  properties: { ...INTERVENTION_FIELDS, reason: REASON },
  handle(draft, { payload, by }) {
    const found = findIntervention(draft, payload);
    if ('code' in found) return refuseSignal(found);
    const { handle, failure, saved } = found;
    const error = toGivenUpError(failure.error, payload, by.sub);
    const lost = lostCallsOf(draft, found);
    settlePossiblyExecuted(handle, found.call);
    // The person has seen only one of the lost calls.
    if (lost.length > 1) draft.rememberPossiblyExecuted(lost);
    giveUpTask(handle, { ...failure, error }, saved, by.sub);
    return acceptSignal();
  },
  handleCompensation(draft, unknown, { payload, by }) {
    settleUnknownCompensation(draft, unknown, { error: toGivenUpError(unknown.error, payload, by.sub) }, by.sub);
    return acceptSignal();
  },
};

function toGivenUpError(error: RunError, payload: JsonObject, by: string): RunError {
  const reason = textField(payload, 'reason');
  return { ...error, message: `${error.message} (given up by ${by}${reason === undefined ? '' : `: ${reason}`})` };
}

/** Completes a failed node with a person's output. */
export const skipSignal: SignalKind = {
  description: 'Go on without the failed node, with an output of yours: {"node"? | "id"?, "output"}',
  properties: { ...INTERVENTION_FIELDS, output: true },
  alsoTaken: 'ended',
  handle(draft, request) {
    try {
      return skipFailedNode(draft, request);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      const issues = [{ path: '/output', message: error.message }];
      const message = `The node can't go on with that output: ${error.message}`;
      return refuseSignal({ code: 'MALFORMED', message, issues, mayQuote: true });
    }
  },
  handleCompensation(draft, unknown, { payload, by }) {
    settleUnknownCompensation(draft, unknown, { result: payload['output'] ?? null }, by.sub);
    return acceptSignal();
  },
};

function skipFailedNode(draft: Draft, { payload, by }: SignalRequest): SignalOutcome {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refuseSignal(found);
  const { handle, call } = found;
  const refusal = refuseCompensated(draft) ?? refuseSkipping(draft, found, by) ?? refuseEditor(draft.run, by);
  if (refusal) return refuseSignal(refusal);
  const output = payload['output'] ?? null;
  if (call) emitTask(handle, { type: 'tool.skipped', tool: call.tool, result: output, by: by.sub });
  else skipTask(handle, output, by.sub);
  settlePossiblyExecuted(handle, call);
  draft.addEditor(by);
  if (hasEnded(draft.run)) reopenRun(draft);
  if (call) deliverIntervention(handle, { kind: 'call.skipped', number: call.number, output });
  return acceptSignal();
}

function refuseSkipping(draft: Draft, { handle, call }: OpenIntervention, by: Principal): Refusal | null {
  const refusal = refuseActingAs(handle.frame.graph, handle.node.id, toActor(draft, by));
  return refusal ?? (call ? null : refuseBypass(draft, by, [handle]));
}

/**
 * Completes a task with a person's output.
 * @throws GraphError if the node can't write it; the task then keeps waiting
 */
function skipTask(handle: TaskHandle, output: Json, by: string): void {
  const { node, task, frame } = handle;
  const update = withOwnAllowance(handle, () => node.write({ ...taskBindings(handle), result: output }));
  requireAllowedMessages(handle, update);
  const error = tryWrite(frame.graph.channels, frame.scope.channels, { by: task.key, node: node.id, update });
  if (error) throw new GraphError(error.code, error.message);
  const outcome = { kind: 'done', result: output } as const;
  const state = { phase: 'completed', update, goto: null, outcome } as const;
  requireRoom(handle, state);
  emitTask(handle, { type: 'node.skipped', update, by });
  setState(handle, state);
}

/** Fails a task that a person has given up, after the calls of its graphs have returned. */
function giveUpTask(handle: TaskHandle, failure: TaskFailure, saved: SavedProgress | null, by: string): void {
  const { attempts = 1 } = failure.error;
  const given = { ...failure, error: addErrorLocation(handle, failure.error) };
  emitTask(handle, { type: 'node.failed', error: given.error, attempts, by });
  cancelTimersAndApprovalsOf(handle);
  const failing = { ...given, givenUp: { unknownCount: countUnknownOutcomes(saved) } };
  setState(handle, failAfterCallsWithin(handle, failing, saved) ?? { phase: 'failed', failure: given, saved });
}
