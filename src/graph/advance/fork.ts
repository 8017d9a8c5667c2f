import { approvalHolds } from '../compile/approval-holds.ts';
import { START } from '../definition/definition.ts';
import type { Draft } from '../draft/draft.ts';
import { emitOfRun } from '../draft/emit.ts';
import { rootFrame } from '../draft/frames.ts';
import { moveTo } from '../draft/scope-draft.ts';
import type { ResumePoint } from '../journal/resume-point.ts';
import { editChannels } from '../lifecycle/edit-channels.ts';
import { actorIn, refuseActingAs, refuseArrivals, refuseReaching, refuseWriting } from '../lifecycle/held-nodes.ts';
import type { Refusal } from '../run/refusal.ts';
import type { ParentRun } from '../run/run.ts';
import { finishedAt, triggersAt } from '../run/scope-place.ts';
import type { Scope } from '../run/scope.ts';
import { refuseUnknownNode } from '../signals/checks/refusals.ts';
import { triggerNextNodes, refreshNextNodes } from '../superstep/next-nodes.ts';
import { saveFullCheckpoint } from '../superstep/save-checkpoint.ts';
import type { JsonObject } from '../values/json.ts';

/** The start of a fork. */
export interface ForkStart {
  readonly parent: ParentRun;
  /** The parent's state at the checkpoint. */
  readonly channels: Scope['channels'];
  readonly resumePoint: ResumePoint;
  /** The number of the superstep that the checkpoint closed. */
  readonly step: number;
  /** Values that replace the parent's, written as `asNode`. */
  readonly values: JsonObject;
  readonly asNode: string | null;
}

/** Begins a fork with the parent's state at the checkpoint and the given values. @returns the reason for a refusal */
export function beginFork(draft: Draft, { parent, values, asNode, step }: ForkStart): Refusal | null {
  const { run } = draft;
  const frame = rootFrame(draft);
  const { runId, checkpoint } = parent;
  emitOfRun(draft, { type: 'run.started', graph: run.graph, by: run.createdBy.sub, parent: { runId, checkpoint } });
  const refusal = findNodeRefusal(draft, asNode);
  if (refusal) return refusal;
  if (Object.keys(values).length > 0 || asNode !== null) {
    const edited = editChannels(draft, { values, by: run.createdBy, asNode: asNode ?? undefined });
    if (!edited.ok) return edited.refusal;
  }
  if (asNode !== null) moveTo(frame, { kind: 'edges', finished: [asNode], triggers: [] }, []);
  refreshNextNodes(frame);
  const failure = frame.scope.at.kind === 'after' ? null : triggerNextNodes(frame);
  const held = refusePosition(draft);
  if (held) return held;
  if (failure) return { code: 'INVALID_VALUES', message: failure.message, mayQuote: true };
  draft.bufferEvents(run.bufferedEvents);
  saveFullCheckpoint(frame, { source: 'fork', step, visited: Object.keys(frame.scope.visits) });
  return null;
}

function findNodeRefusal(draft: Draft, asNode: string | null): Refusal | null {
  const { run, graph } = draft;
  if (asNode !== null)
    return refuseUnknownNode(draft, asNode, '/asNode') ?? refuseActingAs(graph, asNode, actorIn(draft, run.createdBy));
  const { at, deferred } = run.root;
  const nodes = [...triggersAt(at), ...deferred].map(({ node }) => node).concat(finishedAt(at));
  const gone = nodes.find((node) => node !== START && !graph.nodes.has(node));
  if (gone === undefined) return null;
  const message = `The graph has no node "${gone}", where the checkpoint goes on; name another by asNode`;
  return { code: 'MALFORMED', message, issues: [{ path: '/graph', message }] };
}

/**
 * Refuses a fork with another graph that would pass approvals of its parent's graph.
 * @param draft of the fork, with the graph of the parent
 */
export function refuseByParent(draft: Draft, { values, asNode }: ForkStart): Refusal | null {
  const { graph, run } = draft;
  const actor = actorIn(draft, run.createdBy);
  const refusal = refuseWriting(graph, Object.keys(values), actor);
  if (refusal) return refusal;
  if (asNode === null) return refusePosition(draft);
  return (
    refuseActingAs(graph, asNode, actor) ??
    refuseReaching(graph, approvalHolds(graph).after(asNode), actor) ??
    refuseArrivals(graph, arrivedAt(run.root), actor)
  );
}

/** Refuses a fork that goes on behind approvals: at its next nodes, after a breakpoint, or with arrivals at joins. */
function refusePosition(draft: Draft): Refusal | null {
  const { run, graph } = draft;
  const { at, deferred } = run.root;
  const holds = approvalHolds(graph);
  const after = finishedAt(at).flatMap((node) => holds.after(node));
  const next = [...triggersAt(at), ...deferred].map(({ node }) => node).concat(after);
  const actor = actorIn(draft, run.createdBy);
  return refuseReaching(graph, next, actor) ?? refuseArrivals(graph, arrivedAt(run.root), actor);
}

function arrivedAt({ joins }: Scope): readonly string[] {
  return Object.values(joins).flat();
}
