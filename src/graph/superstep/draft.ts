import { OwnedLists } from '../channels/reducer.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import { totalCost } from '../expression/meter.ts';
import type { Checkpoint } from '../journal/checkpoint.ts';
import type { RunEvent, RunEventBody } from '../journal/events.ts';
import type { Approval } from '../run/approval.ts';
import type { Countdown } from '../run/countdown.ts';
import type { Effect } from '../run/effect.ts';
import type { RunLimits } from '../run/limits.ts';
import type { RecordedBody, RecordedOccurrence } from '../run/occurrence.ts';
import type { RunPhase } from '../run/phase.ts';
import type { SignalResult } from '../run/refusal.ts';
import type { BufferedEvent, Counters, OpenCall, OpenTimer, Run, RunCompensation } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';
import type { Spent } from '../run/spending.ts';
import { jsonSize } from '../values/json-size.ts';
import { own } from '../values/json.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A copy of a run's bookkeeping; the values are shared. */
type DraftRun = Mutable<Omit<Run, 'calls' | 'timers' | 'approvals' | 'counters' | 'spent'>> & {
  readonly calls: Record<string, OpenCall>;
  readonly timers: Record<string, OpenTimer>;
  readonly approvals: Record<string, Approval>;
  readonly counters: Mutable<Counters>;
  readonly spent: Mutable<Spent>;
};

/**
 * The working copy of a run during one `advance`, and what it has led to so far. Its methods are the only writers of a
 * run, but for the scopes in it (`scope-draft.ts`); `run` is for reading.
 */
export class Draft {
  readonly graph: CompiledGraph;
  readonly now: number;
  /** `now` and the run's start as RFC 3339. */
  readonly at: string;
  readonly startedAt: string;
  readonly effects: Effect[] = [];
  readonly events: RunEvent[] = [];
  readonly checkpoints: Checkpoint[] = [];
  readonly occurrences: RecordedOccurrence[] = [];
  /** Approvals that are new or changed, by id. */
  readonly approvals = new Map<string, Approval>();
  /** Lists that this `advance` may extend in place. */
  readonly owned = new OwnedLists();
  /** Scopes that this `advance` has copied, and may change. */
  readonly copies = new WeakSet<Scope>();
  readonly load: Load = { bytes: 0, costBefore: totalCost() };
  readonly #run: DraftRun;

  constructor(graph: CompiledGraph, run: Run, now: number) {
    this.graph = graph;
    this.now = now;
    this.at = new Date(now).toISOString();
    this.startedAt = new Date(run.startedAt).toISOString();
    this.#run = {
      ...run,
      calls: { ...run.calls },
      timers: { ...run.timers },
      approvals: { ...run.approvals },
      counters: { ...run.counters },
      spent: { ...run.spent },
    };
  }

  get run(): Run {
    return this.#run;
  }

  /** The next number of something that a run numbers. */
  next(counter: keyof Counters): number {
    return ++this.#run.counters[counter];
  }

  addCall(key: string, call: OpenCall): void {
    this.#run.calls[key] = call;
  }

  /** A call that is not open has been answered before, or belongs to work that was given up. */
  takeCall(key: string): OpenCall | undefined {
    const call = own(this.#run.calls, key);
    delete this.#run.calls[key];
    return call;
  }

  addTimer(id: string, timer: OpenTimer): void {
    this.#run.timers[id] = timer;
    const { fireAt, summary } = timer;
    this.effects.push({ kind: 'timer', id, fireAt, summary });
  }

  takeTimer(id: string): OpenTimer | undefined {
    const timer = own(this.#run.timers, id);
    delete this.#run.timers[id];
    return timer;
  }

  saveApproval(approval: Approval): void {
    const { approvals } = this.#run;
    approvals[approval.id] = approval;
    this.approvals.set(approval.id, approval);
    const closed = Object.values(approvals).filter(({ status }) => status !== 'pending');
    for (const { id } of closed.slice(0, -MAX_CLOSED)) delete approvals[id];
  }

  spend(amounts: Partial<Spent>): void {
    const { spent } = this.#run;
    spent.inputTokens += amounts.inputTokens ?? 0;
    spent.outputTokens += amounts.outputTokens ?? 0;
    spent.costMicros += amounts.costMicros ?? 0;
    spent.modelCalls += amounts.modelCalls ?? 0;
    spent.toolCalls += amounts.toolCalls ?? 0;
  }

  /** @param keys of calls that are counted already; none once the superstep is over */
  setCounted(keys: readonly string[]): void {
    this.#run.counted = keys;
  }

  /** The next checkpoint holds them. */
  bufferEvents(events: readonly BufferedEvent[]): void {
    this.#run.bufferedEvents = events;
    this.#run.areBufferedEventsSaved = false;
  }

  recordResult(result: SignalResult): void {
    this.#run.outcomes = [...this.#run.outcomes.slice(1 - MAX_OUTCOMES), result];
  }

  addCheckpoint(checkpoint: Checkpoint): void {
    this.checkpoints.push(checkpoint);
    this.#run.checkpointId = checkpoint.id;
    this.#run.areBufferedEventsSaved = true;
  }

  setRoot(scope: Scope): void {
    this.#run.root = scope;
  }

  enter(phase: RunPhase): void {
    this.#run.phase = phase;
  }

  setCompensation(changes: Partial<RunCompensation>): void {
    this.#run.compensation = { ...this.#run.compensation, ...changes };
  }

  setLimits(limits: RunLimits): void {
    this.#run.limits = limits;
  }

  setCountdown(countdown: Countdown | null): void {
    this.#run.countdown = countdown;
  }
}

/** Measures an `advance`: past the limits it stops, so that no activation grows too long. */
interface Load {
  bytes: number;
  readonly costBefore: number;
}

const MAX_BYTES = 1_000_000;
const MAX_COST = 5_000_000;
const EVENT_OVERHEAD = 120;
/** So many approvals that are closed can be asked for by query; all of them are in the store. */
const MAX_CLOSED = 100;
/** So many decisions can be asked after; the API asks at once. */
const MAX_OUTCOMES = 100;

/** The superstep in which an event happens, and the ids of the nodes around it. */
export interface EventPlace {
  readonly step: number;
  readonly path: readonly string[];
}

/** Records an event of the run; its number, time and place are added. */
export function emit(draft: Draft, { step, path }: EventPlace, body: RunEventBody): RunEvent {
  const numbered = { seq: draft.next('seq'), at: draft.at, step };
  const event: RunEvent = Object.assign(numbered, path.length > 0 ? { path } : null, body);
  draft.events.push(event);
  draft.load.bytes += EVENT_OVERHEAD + payloadSize(body);
  return event;
}

/** Records an event of the run's own graph. */
export function emitOfRun(draft: Draft, body: RunEventBody): void {
  emit(draft, { step: draft.run.root.step, path: [] }, body);
}

/** Counts only what an `advance` can have many of: results come one at a time, and are bounded outside. */
function payloadSize(body: RunEventBody): number {
  if ('update' in body) return jsonSize(body.update);
  if (body.type === 'tool.requested') return jsonSize(body.args);
  return body.type === 'approval.requested' ? jsonSize(body.approval) : 0;
}

/** Records that the run has taken an occurrence in, before the events that it leads to. */
export function recordOccurrence(draft: Draft, body: RecordedBody): void {
  const number = draft.next('occurrence');
  draft.occurrences.push({ ...body, number, seq: draft.run.counters.seq, at: draft.now });
}

/** True when this `advance` has done enough and should let the shell write its events first. */
export function mustYield({ load }: Draft): boolean {
  return load.bytes > MAX_BYTES || totalCost() - load.costBefore > MAX_COST;
}
