import { scopeBindings } from '../bindings.ts';
import { applyWrites } from '../channels/apply-writes.ts';
import { OwnedLists } from '../channels/reducer.ts';
import type { Draft } from '../draft.ts';
import { EdgeFailure, fireEdges } from '../edges.ts';
import { fire, previewNext } from '../fire.ts';
import { rootFrame } from '../frames.ts';
import { didYouMean } from '../nearest.ts';
import type { Refusal } from '../run.ts';
import { editChannels, saveEdit } from '../update-state.ts';
import type { StateEdit } from '../update-state.ts';
import { abandon } from './abandon.ts';
import { refusePassing, refuseSpeakingFor } from './pass-approval.ts';
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
    const change = { values, by: by.sub, asNode };
    const refusal = refusalOf(draft, request) ?? tryEdges(draft, change) ?? editChannels(draft, change);
    if (refusal) return refused(refusal);
    if (asNode === undefined) lookAgain(draft);
    else goOnFrom(draft, asNode);
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
  return refuseSpeakingFor(draft, graph, { node: asNode, by }) ?? refusePassing(draft, by);
}

/** Tries the edges of the node on the state as it would be. @returns why they can't tell where to go on */
function tryEdges(draft: Draft, { values, asNode }: StateEdit): Refusal | null {
  if (asNode === undefined) return null;
  const frame = rootFrame(draft);
  const { graph, scope } = frame;
  const context = { owned: new OwnedLists(), nextMessageId: () => 'tried', extension: null };
  const writes = [{ by: asNode, node: asNode, update: values }];
  const applied = applyWrites(graph.channels, scope.channels, { writes, context });
  if (!applied.ok) return null;
  const bindings = { ...scopeBindings(draft, frame), state: applied.channels };
  try {
    fireEdges(graph.outgoing, scope.joins, { finished: [asNode], already: [], bindings });
    return null;
  } catch (error) {
    if (!(error instanceof EdgeFailure)) throw error;
    const { message } = error;
    return { code: 'INVALID_VALUES', message, issues: [{ path: '/values', message }] };
  }
}

function goOnFrom(draft: Draft, node: string): void {
  const frame = rootFrame(draft);
  abandon(draft);
  frame.scope.hasPassed = false;
  frame.scope.unfired = [node];
  fire(draft, frame);
}

/** At a breakpoint after a node, what comes next depends on the new state. */
function lookAgain(draft: Draft): void {
  const frame = rootFrame(draft);
  const { hold } = frame.scope;
  if (hold?.at === 'after') frame.scope.hold = { ...hold, next: previewNext(draft, frame) };
}
