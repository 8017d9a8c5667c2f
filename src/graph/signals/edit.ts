import { Draft } from '../draft/draft.ts';
import { rootFrame } from '../draft/frames.ts';
import { moveToPosition } from '../draft/scope-draft.ts';
import type { VisitedNodes } from '../journal/resume-point.ts';
import { discardSuperstep } from '../lifecycle/cancel.ts';
import { editChannels, saveEdit } from '../lifecycle/edit-channels.ts';
import type { StateEdit } from '../lifecycle/edit-channels.ts';
import { toActor, refuseActingAs, refuseArrivals, refuseReaching } from '../lifecycle/gated-nodes.ts';
import { renewApprovals } from '../lifecycle/renew-approvals.ts';
import { reopenRun } from '../lifecycle/reopen-run.ts';
import type { Refusal } from '../run/occurrence.ts';
import { triggersAtPosition } from '../run/scope-position.ts';
import type { Scope } from '../run/scope.ts';
import { hasEnded, statusOf } from '../run/status.ts';
import { stopAtBreakpointBefore } from '../superstep/open-superstep.ts';
import { triggerNextNodes, refreshNextNodes } from '../superstep/edges.ts';
import type { RunError } from '../values/errors.ts';
import { refuseBypass, refuseCompensated, refuseUnknownNode, refuseUnlessStatus } from './refusals.ts';
import { refuseSignal, acceptSignal, textField, valuesField } from './signal.ts';
import type { SignalKind, SignalRequest } from './signal.ts';

/**
 * Edits the state of a run that is not running. With `asNode`, that node's edges choose the next nodes, and an ended
 * run with next nodes becomes paused. If a run stays ended, its approvals are not renewed.
 */
export const editSignal: SignalKind = {
  description: 'Correct the state: {"values", "asNode"?, "checkpoint"}',
  properties: { values: { type: 'object' }, asNode: { type: 'string' }, checkpoint: { type: 'string' } },
  alsoTaken: 'ended',
  handle(draft, request) {
    const { payload, by } = request;
    const asNode = textField(payload, 'asNode');
    const change = { values: valuesField(payload) ?? {}, by, asNode };
    const refusal = refuseEdit(draft, request) ?? tryEdit(draft, change);
    if (refusal) return refuseSignal(refusal);
    const edited = editChannels(draft, change);
    if (!edited.ok) return refuseSignal(edited.refusal);
    if (asNode === undefined) refreshNextNodes(rootFrame(draft));
    const visited = asNode === undefined ? [] : continueAfterNode(draft, asNode).visited;
    saveEdit(draft, edited.changes, visited);
    if (asNode !== undefined) reopenPaused(draft, by.sub);
    else if (!hasEnded(draft.run)) renewApprovals(draft);
    return acceptSignal(draft.run.checkpointId);
  },
};

function refuseEdit(draft: Draft, { payload, by }: SignalRequest): Refusal | null {
  const { run, graph } = draft;
  const checkpoint = textField(payload, 'checkpoint');
  const asNode = textField(payload, 'asNode');
  const refusal = refuseUnlessStatus(draft, ['waiting', 'paused', 'completed', 'failed', 'canceled'], 'edited');
  if (refusal) return refusal;
  if (checkpoint !== undefined && checkpoint !== run.checkpointId)
    return { code: 'STALE', message: `The run stands at checkpoint ${run.checkpointId} by now` };
  if (asNode === undefined) return null;
  return (
    refuseCompensated(draft) ??
    refuseUnknownNode(draft, asNode, '/asNode') ??
    refuseActingAs(graph, asNode, toActor(draft, by)) ??
    refuseBypass(draft, by)
  );
}

/**
 * Makes the edit in a temporary draft, so that exactly what would be applied is checked.
 * @returns the reason if the edit is refused, if its node's edges fail, or if they lead to or arrive at a position
 * behind an approval
 */
function tryEdit(draft: Draft, change: StateEdit): Refusal | null {
  const { asNode, by } = change;
  if (asNode === undefined) return null;
  const trial = new Draft(draft.graph, draft.run, draft.now);
  const edited = editChannels(trial, change);
  if (!edited.ok) return edited.refusal;
  const { failure } = continueAfterNode(trial, asNode);
  if (failure) {
    const { message } = failure;
    return { code: 'INVALID_VALUES', message, issues: [{ path: '/values', message }], mayQuote: true };
  }
  const { at, deferred, joins } = trial.run.root;
  const next = [...triggersAtPosition(at), ...deferred].map(({ node }) => node);
  const arrived = newArrivals(draft.run.root, joins);
  const actor = toActor(draft, by);
  return refuseReaching(draft.graph, next, actor) ?? refuseArrivals(draft.graph, arrived, actor);
}

/** Returns the nodes that have newly arrived at joins. */
function newArrivals(before: Pick<Scope, 'joins'>, joins: Scope['joins']): readonly string[] {
  return Object.entries(joins).flatMap(([id, nodes]) => {
    const known = new Set(before.joins[id]);
    return nodes.filter((node) => !known.has(node));
  });
}

/**
 * Discards the open work of a run and continues after a node.
 * @returns the discarded nodes, and the error of an edge
 */
function continueAfterNode(draft: Draft, node: string): { visited: VisitedNodes; failure: RunError | null } {
  const frame = rootFrame(draft);
  const visited = discardSuperstep(draft);
  moveToPosition(frame, { kind: 'edges', finished: [node], triggers: [] });
  const failure = triggerNextNodes(frame);
  // A run that is not running stops at the breakpoint now; a waiting run stops when it continues.
  if (statusOf(draft.run) !== 'waiting') stopAtBreakpointBefore(frame);
  return { visited, failure };
}

function reopenPaused(draft: Draft, by: string): void {
  const { at, deferred } = draft.run.root;
  if (!hasEnded(draft.run) || triggersAtPosition(at).length + deferred.length === 0) return;
  reopenRun(draft, { by, reason: null });
}
