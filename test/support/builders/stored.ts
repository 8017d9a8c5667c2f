import type { ForkStart } from '../../../src/graph/advance/fork.ts';
import type { CompiledGraph } from '../../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import { foldCheckpoints } from '../../../src/graph/journal/checkpoint.ts';
import type { Checkpoint } from '../../../src/graph/journal/checkpoint.ts';
import { toEndedState, fromEndedState } from '../../../src/graph/journal/ended-run.ts';
import { foldResumePoints } from '../../../src/graph/journal/resume-point.ts';
import type { EarlierCall, Run } from '../../../src/graph/run/run.ts';
import type { JsonObject } from '../../../src/graph/values/json.ts';

/*
 * What the store does with runs, without a store: everything goes through JSON, a run that has ended is kept without
 * its values, and values and places are folded from checkpoints.
 */

/** A graph, and all checkpoints of one of its runs, the oldest first. */
export interface Stored {
  readonly graph: CompiledGraph;
  readonly checkpoints: readonly Checkpoint[];
}

/** What a fork is asked for with besides its checkpoint. */
export interface Forking {
  readonly values?: JsonObject;
  readonly asNode?: string;
  /** Another graph than that of the parent. */
  readonly graph?: GraphDefinition;
  /** What the parent has callsSince after the checkpoint. */
  readonly callsSince?: readonly EarlierCall[];
}

/** A run that has ended, as it comes out of the store. */
export function throughTheStore(run: Run, { graph, checkpoints }: Stored): Run {
  return fromEndedState(copyOf(toEndedState(run, graph)), foldCheckpoints(copyOf(checkpoints)));
}

/** What a fork at a checkpoint begins with. Joins are half-filled by edges of the parent's graph; another one has others. */
export function forkStartAt(id: string, forking: Forking, { checkpoints }: Pick<Stored, 'checkpoints'>): ForkStart {
  const { values = {}, asNode = null, graph, callsSince = [] } = forking;
  const chain = copyOf(checkpoints.slice(0, checkpoints.findIndex((checkpoint) => checkpoint.id === id) + 1));
  const last = chain.at(-1);
  if (!last) throw new Error(`There is no checkpoint "${id}"`);
  const parent = { runId: id.slice(0, id.lastIndexOf('.')), checkpoint: id, callsSince };
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
