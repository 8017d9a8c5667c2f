import { OwnedLists } from '../channels/reducer.ts';
import type { ReduceContext } from '../channels/reducer.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import { totalCost } from '../expression/meter.ts';
import type { Checkpoint } from '../journal/checkpoint.ts';
import type { RunEvent, RunEventBody } from '../journal/events.ts';
import type { Approval } from '../run/approval.ts';
import type { Effect } from '../run/effect.ts';
import { messageId } from '../run/ids.ts';
import type { RecordedBody, RecordedOccurrence } from '../run/occurrence.ts';
import type { SignalResult } from '../run/refusal.ts';
import type { Counters, OpenCall, OpenTimer, Run } from '../run/run.ts';
import type { NodeTask, Scope } from '../run/scope.ts';
import type { Spent } from '../run/spending.ts';
import { jsonSize } from '../values/json-size.ts';
import type { Json } from '../values/json.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A scope that one `advance` works on. */
export type DraftScope = Mutable<Omit<Scope, 'visits' | 'superstep'>> & {
  readonly visits: Record<string, number>;
  superstep: { readonly tasks: NodeTask[] } | null;
};

/** A run that one `advance` works on: a copy of the bookkeeping, the values shared. */
export type DraftRun = Mutable<Omit<Run, 'root' | 'calls' | 'timers' | 'approvals' | 'counters' | 'spent'>> & {
  readonly root: DraftScope;
  readonly calls: Record<string, OpenCall>;
  readonly timers: Record<string, OpenTimer>;
  readonly approvals: Record<string, Approval>;
  readonly counters: Mutable<Counters>;
  readonly spent: Mutable<Spent>;
};

/** The working copy of a run during one `advance`, and what it has led to so far. */
export interface Draft {
  readonly graph: CompiledGraph;
  readonly run: DraftRun;
  readonly now: number;
  /** `now` and the run's start as RFC 3339. */
  readonly at: string;
  readonly startedAt: string;
  readonly effects: Effect[];
  readonly events: RunEvent[];
  readonly checkpoints: Checkpoint[];
  readonly occurrences: RecordedOccurrence[];
  /** Approvals that are new or changed, by id. */
  readonly approvals: Map<string, Approval>;
  /** Lists that this `advance` may extend in place. */
  readonly owned: OwnedLists;
  readonly load: Load;
  /** The graphs inside subgraph tasks that this `advance` has opened, by their address. */
  readonly frames: Map<string, Frame>;
}

/** How much this `advance` has done; past the limits it stops, so that no activation grows too long. */
interface Load {
  bytes: number;
  readonly costBefore: number;
}

const MAX_BYTES = 1_000_000;
const MAX_COST = 5_000_000;

/** One graph activation being worked on: its scope, and the nodes and tasks around it. */
export interface Frame {
  readonly graph: CompiledGraph;
  readonly scope: DraftScope;
  /** Ids of the parent nodes, outermost first; empty for the run's own graph. */
  readonly path: readonly string[];
  /** Keys of the parent tasks. */
  readonly taskPath: readonly string[];
  /** Which executions of the parent tasks these are: unlike the address, never the same twice in a run. */
  readonly executionPath: readonly string[];
  /** A deadline of a node around it holds for what is in it. */
  readonly isTimed: boolean;
  /** A node around it has failed, and only waits for the calls that are out: nothing new begins. */
  isFailing: boolean;
}

export function openDraft(graph: CompiledGraph, run: Run, now: number): Draft {
  const draftRun: DraftRun = {
    ...run,
    root: openScope(run.root),
    calls: { ...run.calls },
    timers: { ...run.timers },
    approvals: { ...run.approvals },
    counters: { ...run.counters },
    spent: { ...run.spent },
  };
  return {
    graph,
    run: draftRun,
    now,
    at: new Date(now).toISOString(),
    startedAt: new Date(run.startedAt).toISOString(),
    effects: [],
    events: [],
    checkpoints: [],
    occurrences: [],
    approvals: new Map(),
    owned: new OwnedLists(),
    load: { bytes: 0, costBefore: totalCost() },
    frames: new Map(),
  };
}

/** A working copy of a scope. */
export function openScope(scope: Scope): DraftScope {
  return {
    ...scope,
    visits: { ...scope.visits },
    superstep: scope.superstep && { tasks: [...scope.superstep.tasks] },
  };
}

/** What the reducers of a graph work with. Ids of messages come from the graph itself, so that no other's timing counts. */
export function reduceContext(draft: Draft, frame: Frame): ReduceContext {
  return new ScopeContext(draft, frame);
}

class ScopeContext implements ReduceContext {
  readonly #draft: Draft;
  readonly #frame: Frame;
  readonly owned: OwnedLists;
  extension: readonly Json[] | null = null;

  constructor(draft: Draft, frame: Frame) {
    this.#draft = draft;
    this.#frame = frame;
    this.owned = draft.owned;
  }

  nextMessageId(): string {
    const { scope, executionPath } = this.#frame;
    return messageId(this.#draft.run.id, executionPath, ++scope.messages);
  }
}

/** Records an event of the run; its number, time and place are added. */
export function emit(draft: Draft, { scope, path }: Frame, body: RunEventBody): RunEvent {
  const numbered = { seq: ++draft.run.counters.seq, at: draft.at, step: scope.step };
  const event: RunEvent = Object.assign(numbered, path.length > 0 ? { path } : null, body);
  draft.events.push(event);
  draft.load.bytes += EVENT_OVERHEAD + payloadSize(body);
  return event;
}

/** What an `advance` can have many of. Results come from outside, one at a time, and are bounded there. */
function payloadSize(body: RunEventBody): number {
  if ('update' in body) return jsonSize(body.update);
  if (body.type === 'tool.requested') return jsonSize(body.args);
  return body.type === 'approval.requested' ? jsonSize(body.approval) : 0;
}

/** Records that the run has taken an occurrence in, before the events that it leads to. */
export function recordOccurrence({ run, now, occurrences }: Draft, body: RecordedBody): void {
  const { counters } = run;
  occurrences.push({ ...body, number: ++counters.occurrence, seq: counters.seq, at: now });
}

const EVENT_OVERHEAD = 120;

/** True when this `advance` has done enough and should let the shell write its events first. */
export function mustYield({ load }: Draft): boolean {
  return load.bytes > MAX_BYTES || totalCost() - load.costBefore > MAX_COST;
}

export function recordResult(draft: Draft, outcome: SignalResult): void {
  draft.run.outcomes = [...draft.run.outcomes.slice(1 - MAX_OUTCOMES), outcome];
}

/** So many decisions can be asked after; the API asks at once. */
const MAX_OUTCOMES = 100;
