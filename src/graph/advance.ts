import type { Approval } from './approval.ts';
import { applyWrites } from './channels/apply-writes.ts';
import type { Checkpoint } from './checkpoint.ts';
import { saveCheckpoint } from './checkpoints.ts';
import type { CompiledGraph } from './compile.ts';
import { START } from './definition.ts';
import { emit, openDraft, rootFrame } from './draft.ts';
import type { Draft } from './draft.ts';
import type { Effect } from './effect.ts';
import { toRunError } from './errors.ts';
import type { RunError } from './errors.ts';
import type { RunEvent, RunEventBody } from './events.ts';
import { handleOccurrence } from './handle-occurrence.ts';
import { own } from './json.ts';
import type { JsonObject } from './json.ts';
import type { Occurrence } from './occurrence.ts';
import { isEnded } from './run.ts';
import type { EndedStatus, Run } from './run.ts';
import { withdraw } from './signals/cancel.ts';
import { drive, fire } from './superstep.ts';
import type { Standing } from './superstep.ts';

/** What one step of the interpreter gives: the run as it is then, what is to be done, and what the journal will say. */
export interface Advance {
  readonly run: Run;
  readonly effects: readonly Effect[];
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly Checkpoint[];
  /** Approvals that are new or have changed. */
  readonly approvals: readonly Approval[];
  /** There is more to do at once; a `continue` goes on when the journal is written. */
  readonly more: boolean;
}

/** Who and what a run is; the rest of its state follows. */
export type RunIdentity = Pick<Run, 'id' | 'tenantId' | 'threadId' | 'graph' | 'createdBy' | 'limits'>;

/**
 * Starts a run: its input goes through the reducers on top of the defaults, then it runs as far as it gets by itself.
 * @param startedAt milliseconds since the epoch
 */
export function startRun(
  graph: CompiledGraph,
  identity: RunIdentity,
  { input, startedAt }: { input: JsonObject; startedAt: number },
): Advance {
  const run: Run = {
    format: 1,
    ...identity,
    startedAt,
    endedAt: null,
    status: 'running',
    root: {
      step: -1,
      channels: Object.fromEntries([...graph.channels].map(([name, { initial }]) => [name, initial])),
      triggers: [],
      deferred: [],
      joins: {},
      visits: {},
      superstep: null,
      unfired: [START],
    },
    calls: {},
    timers: {},
    approvals: {},
    outcomes: [],
    cancellation: null,
    error: null,
    output: null,
    spent: { inputTokens: 0, outputTokens: 0, costMicros: 0, modelCalls: 0, toolCalls: 0 },
    checkpointId: null,
    counters: { seq: 0, checkpoint: 0, message: 0, approval: 0 },
  };
  return step(graph, run, { now: startedAt, act: (draft) => takeInput(draft, input) });
}

/**
 * Takes one occurrence and runs as far as the run gets without the outside. Pure: the given run stays as it was.
 * A run that has ended changes no more.
 */
export function advance(graph: CompiledGraph, run: Run, occurrence: Occurrence): Advance {
  return step(graph, run, { now: occurrence.at, act: (draft) => handleOccurrence(draft, occurrence) });
}

function step(
  graph: CompiledGraph,
  run: Run,
  { now, act }: { now: number; act: (draft: Draft) => RunError | void },
): Advance {
  const draft = openDraft(graph, run, now);
  const more = isEnded(run.status) ? false : proceed(draft, act);
  const { effects, events, checkpoints, approvals } = draft;
  return { run: draft.run, effects, events, checkpoints, approvals: [...approvals.values()], more };
}

function proceed(draft: Draft, act: (draft: Draft) => RunError | void): boolean {
  try {
    const failure = act(draft);
    return settle(draft, failure ? { kind: 'failed', error: failure } : standingOf(draft));
  } catch (error) {
    return settle(draft, { kind: 'failed', error: toRunError(error) });
  }
}

function standingOf(draft: Draft): Standing {
  return draft.run.cancellation ? { kind: 'waiting' } : drive(draft, rootFrame(draft));
}

function takeInput(draft: Draft, input: JsonObject): RunError | undefined {
  const frame = rootFrame(draft);
  const { run, graph } = draft;
  emit(draft, frame, { type: 'run.started', graph: run.graph, by: run.createdBy.sub });
  const writes = [{ by: 'the input', node: START, update: input }];
  const applied = applyWrites(graph.channels, frame.scope.channels, { writes, context: draft.reduceContext });
  if (!applied.ok) return { code: applied.error.code, message: applied.error.message };
  frame.scope.channels = applied.channels;
  const failure = fire(draft, frame);
  const everything = Object.entries(applied.channels).map(([name, value]) => [name, { set: value }]);
  saveCheckpoint(draft, frame, { source: 'input', changes: Object.fromEntries(everything) });
  frame.scope.step = 0;
  return failure ?? undefined;
}

/** Gives the run its status. @returns whether it has more to do at once */
function settle(draft: Draft, standing: Standing): boolean {
  const { run } = draft;
  const isBusy = Object.keys(run.calls).length > 0;
  if (run.cancellation) {
    if (!isBusy) end(draft, 'canceled', { type: 'run.canceled', ...run.cancellation });
    return false;
  }
  switch (standing.kind) {
    case 'finished':
      run.output = outputOf(draft);
      end(draft, 'completed', { type: 'run.completed', output: run.output });
      return false;
    case 'failed':
      run.error = standing.error;
      end(draft, 'failed', { type: 'run.failed', error: standing.error });
      return false;
    case 'waiting':
      run.status = isBusy ? 'running' : 'waiting';
      return false;
    case 'full':
      run.status = 'running';
      return true;
  }
}

function end(draft: Draft, status: EndedStatus, event: RunEventBody): void {
  withdraw(draft);
  draft.run.status = status;
  draft.run.endedAt = draft.now;
  emit(draft, rootFrame(draft), event);
}

function outputOf({ graph, run }: Draft): JsonObject {
  return Object.fromEntries(graph.output.map((channel) => [channel, own(run.root.channels, channel) ?? null]));
}
