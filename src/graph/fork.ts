import { saveCheckpoint } from './checkpoints.ts';
import { START } from './definition.ts';
import { emit } from './draft.ts';
import type { Draft } from './draft.ts';
import { fire, lookAgain } from './fire.ts';
import { rootFrame } from './frames.ts';
import type { JsonObject } from './json.ts';
import { refuseSpeakingFor } from './pass-approval.ts';
import type { Place } from './place.ts';
import { refuseUnknownNode } from './refusals.ts';
import type { ParentRun, Refusal } from './run.ts';
import type { Scope } from './scope.ts';
import { editChannels } from './update-state.ts';

/** What a fork begins with. */
export interface ForkStart {
  readonly parent: ParentRun;
  /** The state of the parent at the checkpoint. */
  readonly channels: Scope['channels'];
  readonly place: Place;
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
  if (asNode !== null) Object.assign(scope, { triggers: [], deferred: [], hold: null, unfired: [asNode] });
  lookAgain(draft, frame);
  const failure = scope.hold ? null : fire(draft, frame);
  if (failure) return { code: 'INVALID_VALUES', message: failure.message };
  const everything = Object.entries(scope.channels).map(([name, value]) => [name, { set: value }]);
  run.areEventsSaved = false;
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
  const { triggers, deferred, unfired } = run.root;
  const nodes = [...triggers, ...deferred].map(({ node }) => node).concat(unfired);
  const gone = nodes.find((node) => node !== START && !graph.nodes.has(node));
  if (gone === undefined) return null;
  const message = `The graph has no node "${gone}", where the checkpoint goes on; name another by asNode`;
  return { code: 'MALFORMED', message, issues: [{ path: '/graph', message }] };
}
