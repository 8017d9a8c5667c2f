import { mayDecide } from '../approval.ts';
import type { Draft } from '../draft.ts';
import { fire } from '../fire.ts';
import { rootFrame } from '../frames.ts';
import { didYouMean } from '../nearest.ts';
import type { Refusal } from '../run.ts';
import { editChannels, saveEdit } from '../update-state.ts';
import { abandon } from './abandon.ts';
import { valuesOf } from './pause.ts';
import { refused, taken, textOf } from './signal.ts';
import type { SignalKind, SignalRequest } from './signal.ts';

/** Corrects the state of a run that waits or is paused. As a node, that node's edges decide anew what comes next. */
export const edit: SignalKind = {
  description: 'Correct the state: {"values", "asNode"?, "checkpoint"}',
  properties: { values: { type: 'object' }, asNode: { type: 'string' }, checkpoint: { type: 'string' } },
  handle(draft, request) {
    const { payload, by } = request;
    const asNode = textOf(payload, 'asNode');
    const values = valuesOf(payload) ?? {};
    const refusal = refusalOf(draft, request) ?? editChannels(draft, { values, by: by.sub, asNode });
    if (refusal) return refused(refusal);
    const problem = asNode === undefined ? null : goOnFrom(draft, asNode);
    if (problem) return refused(problem);
    saveEdit(draft);
    return taken(draft.run.checkpointId);
  },
};

function refusalOf(draft: Draft, { payload, by }: SignalRequest): Refusal | null {
  const { run, graph } = draft;
  const checkpoint = textOf(payload, 'checkpoint');
  const asNode = textOf(payload, 'asNode');
  if (run.status !== 'waiting' && run.status !== 'paused')
    return { code: 'NOT_ALLOWED_NOW', message: `The run is ${run.status}; it is edited while it waits or is paused` };
  if (checkpoint !== undefined && checkpoint !== run.checkpointId)
    return { code: 'STALE', message: `The run stands at checkpoint ${run.checkpointId} by now` };
  if (asNode === undefined) return null;
  if (!graph.nodes.has(asNode)) {
    const message = `There is no node "${asNode}".${didYouMean(asNode, graph.nodes.keys())}`;
    return { code: 'MALFORMED', message, issues: [{ path: '/asNode', message }] };
  }
  const pending = Object.values(run.approvals).filter(({ status }) => status === 'pending');
  return (
    pending.map((approval) => mayDecide(approval, { by, at: draft.at })).find((refusal) => refusal !== null) ?? null
  );
}

function goOnFrom(draft: Draft, node: string): Refusal | null {
  const frame = rootFrame(draft);
  abandon(draft);
  frame.scope.hold = null;
  frame.scope.hasPassed = false;
  frame.scope.unfired = [node];
  const failure = fire(draft, frame);
  return failure && { code: 'INVALID_VALUES', message: failure.message };
}
