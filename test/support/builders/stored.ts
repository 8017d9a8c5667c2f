import type { ForkStart } from '../../../src/graph/advance/begin-run.ts';
import type { CompiledGraph } from '../../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { foldCheckpoints, foldResumePoints } from '../../../src/graph/journal/resume-point.ts';
import type { Checkpoint } from '../../../src/graph/journal/resume-point.ts';
import { toEndedState, fromEndedState } from '../../../src/graph/journal/batch.ts';
import type { Principal } from '../../../src/graph/run/principal.ts';
import type { EarlierCall, Run } from '../../../src/graph/run/run.ts';
import type { JsonObject } from '../../../src/graph/values/json.ts';

/*
 * The effects of the store on runs, without a store: everything passes through JSON, an ended run loses its values,
 * and values and resume points are folded from checkpoints.
 */

/** A graph, and all checkpoints of one of its runs, oldest first. */
export interface Stored {
  readonly graph: CompiledGraph;
  readonly checkpoints: readonly Checkpoint[];
}

/** The options of a fork besides its checkpoint. */
export interface ForkOptions {
  readonly values?: JsonObject;
  readonly asNode?: string;
  /** The graph of the fork; that of the parent if absent. */
  readonly graph?: GraphDefinition;
  /** The calls of the parent after the checkpoint. */
  readonly callsSince?: readonly EarlierCall[];
  /** The principal of the fork; by default the starter of the parent. */
  readonly by?: Principal;
}

/** Returns an ended run as read from the store. */
export function asReadFromStore(run: Run, { graph, checkpoints }: Stored): Run {
  return fromEndedState(copyOf(toEndedState(run, graph)), foldCheckpoints(copyOf(checkpoints)));
}

/**
 * Returns the start of a fork at a checkpoint. Pending joins are dropped if the graph differs, because its edges
 * differ.
 */
export function forkStartAt(id: string, forking: ForkOptions, { checkpoints }: Pick<Stored, 'checkpoints'>): ForkStart {
  const { values = {}, asNode = null, graph, callsSince = [] } = forking;
  const chain = copyOf(checkpoints.slice(0, checkpoints.findIndex((checkpoint) => checkpoint.id === id) + 1));
  const last = chain.at(-1);
  if (!last) throw new Error(`There is no checkpoint "${id}"`);
  const parent = { runId: id.slice(0, id.lastIndexOf('.')), checkpoint: id, callsSince, closedApprovals: [] };
  const place = foldResumePoints(chain);
  return {
    parent,
    channels: foldCheckpoints(chain),
    resumePoint: graph ? { ...place, joins: {} } : place,
    step: last.step,
    values,
    asNode,
  };
}

export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
