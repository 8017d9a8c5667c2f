import type { Draft } from '../draft/draft.ts';
import { emit, emitOfRun } from '../draft/emit.ts';
import { retryCompensation } from '../lifecycle/compensation.ts';
import { rememberPerhapsMade } from '../lifecycle/perhaps-made.ts';
import { raiseLimits } from '../lifecycle/raise-limits.ts';
import { reopenRun } from '../lifecycle/reopen.ts';
import { retryTask, deliverIntervention } from '../lifecycle/retry-task.ts';
import { LIMITS_SCHEMA } from '../run/limits.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import { refuseShaping } from '../run/shapers.ts';
import { hasEnded } from '../run/status.ts';
import type { JsonObject } from '../values/json.ts';
import { formatTimestamp } from '../values/timestamp.ts';
import { INTERVENTION_FIELDS, findIntervention, findInterventions, refuseUnnamed } from './checks/find-intervention.ts';
import type { OpenIntervention } from './checks/find-intervention.ts';
import { refuseSeveralLost, repeatsLostCall, shownLostCall } from './checks/lost-calls.ts';
import { refuseCompensated, refuseUnread } from './checks/refusals.ts';
import { refused, taken } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/** Retries a failed node; a failed run continues from all nodes that failed it. */
export const retry: SignalKind = {
  description: 'Do the failed node again: {"node"? | "id"?, "limits"?}',
  properties: { ...INTERVENTION_FIELDS, limits: LIMITS_SCHEMA },
  alsoTaken: 'ended',
  handle: (draft, request) =>
    draft.run.phase.kind === 'failed' ? retryRun(draft, request) : retryNode(draft, request),
  handleCompensation(draft, unknown, { payload, by }) {
    const refusal = raiseLimits(draft, payload['limits']);
    if (refusal) return refused(refusal);
    emitOfRun(draft, { type: 'run.retried', node: unknown.compensation.task.node, by: by.sub });
    retryCompensation(draft, unknown);
    return taken();
  },
};

function retryNode(draft: Draft, { payload, by }: SignalRequest): Handled {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refused(found);
  const refusal =
    refuseSeveralLost(draft, [found]) ?? refuseShaping(draft.run, by) ?? raiseLimits(draft, payload['limits']);
  if (refusal) return refused(refusal);
  retryInterventions(draft, [found], by);
  return taken();
}

function retryRun(draft: Draft, { payload, by }: SignalRequest): Handled {
  const { phase } = draft.run;
  const unread = phase.kind === 'failed' ? refuseUnread(payload, formatTimestamp(phase.endedAt)) : null;
  const found = unread ?? failedNodes(draft, payload);
  if ('code' in found) return refused(found);
  const refusal =
    refuseCompensated(draft) ??
    refuseSeveralLost(draft, found) ??
    refuseShaping(draft.run, by) ??
    raiseLimits(draft, payload['limits']);
  if (refusal) return refused(refusal);
  if (found.length === 0) emitOfRun(draft, { type: 'run.retried', by: by.sub });
  retryInterventions(draft, found, by);
  return taken();
}

/**
 * Returns the named node or all failed ones; none if the run failed between nodes, at an edge or a limit. A call with
 * an unknown outcome is retried only if its node is named, also after a person has given it up.
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
  draft.addShaper(by);
  rememberPerhapsMade(
    draft,
    found.flatMap((one) => shownLostCall(one) ?? []),
  );
  for (const one of found) {
    const { frame, node } = one.handle;
    emit(draft, frame, { type: 'run.retried', node: node.id, by: by.sub });
  }
  draft.work.beginSuperstep();
  if (hasEnded(draft.run)) reopenRun(draft);
  for (const { handle, call } of found) {
    if (call) deliverIntervention(handle, { kind: 'call.repeated', number: call.number });
    else retryTask(handle);
  }
}
