import { START } from '../definition/definition.ts';
import type { ResumePoint } from '../journal/resume-point.ts';
import type { Refusal } from '../run/refusal.ts';
import type { ParentRun } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';
import { refuseSpeakingFor } from '../signals/bypass-approval.ts';
import { editChannels } from '../signals/edit-channels.ts';
import { refuseUnknownNode } from '../signals/refusals.ts';
import { emit } from '../superstep/draft.ts';
import type { Draft } from '../superstep/draft.ts';
import { fire, lookAgain } from '../superstep/fire-edges.ts';
import { rootFrame } from '../superstep/frames.ts';
import { saveCheckpoint } from '../superstep/save-checkpoint.ts';
import type { JsonObject } from '../values/json.ts';

/** What a fork begins with. */
export interface ForkStart {
  readonly parent: ParentRun;
  /** The state of the parent at the checkpoint. */
  readonly channels: Scope['channels'];
  readonly resumePoint: ResumePoint;
  /** The number of the superstep that the checkpoint closed. */
  readonly step: number;
  /** Other values, as if `asNode` had written them. */
  readonly values: JsonObject;
  readonly asNode: string | null;
}

/** Begins a fork: its state is that of its parent at the checkpoint, with the values given. @returns why it can't begin */
export function beginFork(draft: Draft, { parent, values, asNode, step }: ForkStart): Refusal | null {
  const { run } = draft;
  const frame = rootFrame(draft);
  const { scope } = frame;
  const refusal = refuseNodes(draft, asNode);
  if (refusal) return refusal;
  const { runId, checkpoint } = parent;
  emit(draft, frame, { type: 'run.started', graph: run.graph, by: run.createdBy.sub, parent: { runId, checkpoint } });
  if (Object.keys(values).length > 0 || asNode !== null) {
    const edited = editChannels(draft, { values, by: run.createdBy.sub, asNode: asNode ?? undefined });
    if (!edited.ok) return edited.refusal;
  }
  if (asNode !== null) Object.assign(scope, { triggers: [], deferred: [], stoppedAt: null, pendingEdges: [asNode] });
  lookAgain(draft, frame);
  const failure = scope.stoppedAt ? null : fire(draft, frame);
  if (failure) return { code: 'INVALID_VALUES', message: failure.message };
  const everything = Object.entries(scope.channels).map(([name, value]) => [name, { set: value }]);
  run.areBufferedEventsSaved = false;
  const visited = Object.keys(scope.visits);
  saveCheckpoint(draft, frame, { source: 'fork', changes: Object.fromEntries(everything), step, visited });
  return null;
}

function refuseNodes(draft: Draft, asNode: string | null): Refusal | null {
  const { run, graph } = draft;
  if (asNode !== null)
    return (
      refuseUnknownNode(draft, asNode, '/asNode') ??
      refuseSpeakingFor(draft, graph, { node: asNode, by: run.createdBy })
    );
  const { triggers, deferred, pendingEdges } = run.root;
  const nodes = [...triggers, ...deferred].map(({ node }) => node).concat(pendingEdges);
  const gone = nodes.find((node) => node !== START && !graph.nodes.has(node));
  if (gone === undefined) return null;
  const message = `The graph has no node "${gone}", where the checkpoint goes on; name another by asNode`;
  return { code: 'MALFORMED', message, issues: [{ path: '/graph', message }] };
}
