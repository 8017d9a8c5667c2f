import { OwnedLists } from '../channels/reducer.ts';
import type { CompiledGraph } from '../compile/compile.ts';
import { spendUnits } from '../values/meter.ts';
import type { Checkpoint } from '../journal/resume-point.ts';
import type { RunEvent } from '../journal/events.ts';
import type { Approval } from '../run/approval.ts';
import type { AwaitedPerson, PossiblyExecutedCall } from '../run/compensation.ts';
import type { Countdown, RunLimits, BudgetUsage } from '../run/limits.ts';
import type { CallEffect, Effect } from '../run/effect.ts';
import { MAX_HELD_BYTES, heldBytes, holdsTooMuch } from '../run/held-bytes.ts';
import { approvalNumber } from '../run/ids.ts';
import type { TaskPath } from '../run/ids.ts';
import type { RecordedOccurrence, SignalResult } from '../run/occurrence.ts';
import type { Principal } from '../run/principal.ts';
import type { RunPhase } from '../run/phase.ts';
import type { BufferedEvent, Counters, OpenCall, CompensationProgress, OpenTimer, Run } from '../run/run.ts';
import type { Scope } from '../run/scope.ts';
import { withEditor } from '../run/editors.ts';
import { hasEnded, hasOpenCalls } from '../run/status.ts';
import { own } from '../values/json.ts';
import { DraftWork, newLoad } from './load.ts';
import type { AdvanceLoad } from './load.ts';

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A copy of a run's bookkeeping that shares the values. */
type DraftRun = Mutable<Omit<Run, 'calls' | 'timers' | 'approvals' | 'counters' | 'spent'>> & {
  readonly calls: Record<string, OpenCall>;
  readonly timers: Run['timers'];
  readonly approvals: Run['approvals'];
  readonly counters: Mutable<Counters>;
  readonly spent: Mutable<BudgetUsage>;
};

/**
 * The working copy of a run during one `advance`, with its effects and journal entries. Its methods are the only
 * writers of a run, except for scopes (`scope-draft.ts`); `run` is read-only.
 */
export class Draft {
  readonly graph: CompiledGraph;
  readonly now: number;
  /** `now` in RFC 3339. */
  readonly timestamp: string;
  readonly startedAt: string;
  readonly events: RunEvent[] = [];
  readonly checkpoints: Checkpoint[] = [];
  readonly occurrences: RecordedOccurrence[] = [];
  /** New and changed approvals by id. */
  readonly approvals = new Map<string, Approval>();
  /** Lists that this `advance` may extend in place. */
  readonly owned = new OwnedLists();
  /** Scopes copied by this `advance`, which it may change. */
  readonly copies = new WeakSet<Scope>();
  readonly load: AdvanceLoad = newLoad();
  readonly work: DraftWork;
  readonly #effects: Effect[] = [];
  readonly #approvals: DraftApprovals;
  readonly #timers: DraftTimers;
  readonly #run: DraftRun;
  /** The run before this `advance`. Its size is measured on first use. */
  readonly #before: Run;
  #heldBefore: number | null = null;
  #grown = 0;

  constructor(graph: CompiledGraph, run: Run, now: number) {
    this.graph = graph;
    this.now = now;
    this.timestamp = new Date(now).toISOString();
    this.startedAt = new Date(run.startedAt).toISOString();
    this.#approvals = new DraftApprovals(run.approvals);
    this.#timers = new DraftTimers(run.timers);
    this.work = new DraftWork(run.computed);
    this.#run = {
      ...run,
      calls: { ...run.calls },
      timers: this.#timers.byId,
      approvals: this.#approvals.byId,
      counters: { ...run.counters },
      spent: { ...run.spent },
    };
    this.#before = run;
  }

  get run(): Run {
    return this.#run;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /** Stores the computed units in the run; an ended run stays unchanged. */
  countWork(): void {
    if (!hasEnded(this.#run)) this.#run.computed = { ...this.work.computed };
  }

  /** Increments a counter of the run and returns it. */
  increment(counter: keyof Counters): number {
    return ++this.#run.counters[counter];
  }

  requestCall(effect: CallEffect, call: Omit<OpenCall, 'since' | 'takeover'>): void {
    this.#run.calls[effect.key] = { ...call, takeover: effect.takeover, since: this.now };
    this.#effects.push(effect);
  }

  /** Cancels one cancelable call. Its result still arrives. */
  cancelCall(key: string): void {
    this.#effects.push({ kind: 'cancel.call', key });
  }

  /** Cancels all open calls. Their results still arrive. */
  cancelCalls(): void {
    if (hasOpenCalls(this.#run)) this.#effects.push({ kind: 'cancel.calls' });
  }

  /** Removes an open call; `undefined` if it was answered, or if its work was discarded. */
  takeCall(key: string): OpenCall | undefined {
    const call = own(this.#run.calls, key);
    delete this.#run.calls[key];
    if (call?.bytes !== undefined) this.hold(-call.bytes);
    return call;
  }

  startTimer(id: string, timer: OpenTimer): void {
    this.#timers.add(id, timer);
    this.#effects.push({ kind: 'timer', id, fireAt: timer.fireAt, summary: timer.summary });
  }

  /** Cancels a timer, if it is open. */
  cancelTimer(id: string): void {
    if (this.takeTimer(id)) this.#effects.push({ kind: 'cancel.timer', id });
  }

  /** Cancels the timers of the task at a path and of the tasks inside it. */
  cancelTimersWithin(path: TaskPath): void {
    for (const id of this.#timers.within(path)) this.cancelTimer(id);
  }

  /**
   * Removes a timer; `undefined` if it has fired, was canceled or replaced.
   * @param fireAt expected time of the timer; absent for any time
   */
  takeTimer(id: string, fireAt?: number): OpenTimer | undefined {
    return this.#timers.take(id, fireAt);
  }

  /**
   * The bytes that the run holds. They are measured once for each occurrence (`heldBytes`), then adjusted at the end of
   * a task's step and where a graph continues. Small parts, and dropped ones, may be counted only with the next
   * occurrence.
   */
  get heldBytes(): number {
    this.#heldBefore ??= heldBytes(this.#before);
    return this.#heldBefore + this.#grown;
  }

  /** Adds to the bytes that the run holds; a negative number subtracts. */
  hold(bytes: number): void {
    this.#grown += bytes;
    if (bytes > 0) spendUnits(Math.ceil(bytes / BYTES_PER_UNIT));
  }

  /** The closed approvals that the run remembers, in the order of their requests. */
  get closedApprovals(): readonly Approval[] {
    return this.#approvals.closed;
  }

  saveApproval(approval: Approval): void {
    this.#approvals.save(approval);
    this.approvals.set(approval.id, approval);
  }

  /** Cancels the pending approvals of the task at a path and of the tasks inside it; without a path, all of them. */
  cancelApprovals(path?: TaskPath): void {
    const pending = path ? this.#approvals.pendingWithin(path) : this.#approvals.pending;
    for (const approval of pending) this.saveApproval({ ...approval, status: 'canceled' });
  }

  addSpent(amounts: Partial<BudgetUsage>): void {
    const { spent } = this.#run;
    spent.inputTokens += amounts.inputTokens ?? 0;
    spent.outputTokens += amounts.outputTokens ?? 0;
    spent.costMicros += amounts.costMicros ?? 0;
    spent.modelCalls += amounts.modelCalls ?? 0;
    spent.toolCalls += amounts.toolCalls ?? 0;
  }

  /** Counts a tool call once, however often it is made under the same key. */
  chargeToolCall(key: string): void {
    if (this.#run.counted.includes(key)) return;
    this.#run.spent.toolCalls += 1;
    this.addCounted(key);
  }

  /** Remembers a call whose usage is in `spent`, until the superstep is over. */
  addCounted(key: string): void {
    const { counted } = this.#run;
    if (!counted.includes(key)) this.#run.counted = [...counted, key];
  }

  /** Sets the counted calls; none if no later superstep requests them again. */
  setCounted(keys: readonly string[]): void {
    this.#run.counted = keys;
  }

  /** Replaces the buffered events, which the next checkpoint saves. */
  bufferEvents(events: readonly BufferedEvent[]): void {
    this.#run.bufferedEvents = events;
    this.#run.areBufferedEventsSaved = false;
  }

  recordSignalResult(result: SignalResult): void {
    this.#run.signalResults = [...this.#run.signalResults.slice(1 - MAX_SIGNAL_RESULTS), result];
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

  setCompensation(changes: Partial<CompensationProgress>): void {
    this.#run.compensation = { ...this.#run.compensation, ...changes };
  }

  /** Remembers possibly executed calls, each until its result is known or a person settles its task. */
  rememberPossiblyExecuted(calls: readonly PossiblyExecutedCall[]): void {
    if (calls.length === 0) return;
    const keys = new Set(calls.map(({ key }) => key));
    const others = this.#run.compensation.perhapsMade.filter(({ key }) => !keys.has(key));
    this.setCompensation({ perhapsMade: [...others, ...calls] });
  }

  /** Forgets the possibly executed calls whose outcome is known or settled. */
  forgetPossiblyExecuted(isSettled: (call: PossiblyExecutedCall) => boolean): void {
    const { perhapsMade } = this.#run.compensation;
    const others = perhapsMade.filter((call) => !isSettled(call));
    if (others.length < perhapsMade.length) this.setCompensation({ perhapsMade: others });
  }

  /** Sets the person for whom the compensation of an ending run waits; `null` for none. */
  awaitPerson(awaits: AwaitedPerson | null): void {
    const { phase } = this.#run;
    if (phase.kind === 'failing' || phase.kind === 'canceling') this.#run.phase = { ...phase, awaits };
  }

  /** Adds a person to the run's editors; `refuseEditor` must have allowed it. */
  addEditor(by: Principal): void {
    this.#run.shapedBy = withEditor(this.#run, by);
  }

  setLimits(limits: RunLimits, raisedLimits: Run['raisedLimits']): void {
    this.#run.limits = limits;
    this.#run.raisedLimits = raisedLimits;
  }

  setCountdown(countdown: Countdown | null): void {
    this.#run.countdown = countdown;
  }
}

/** True if the run may hold this many bytes more. A negative number is always allowed. */
export function hasRoomFor(draft: Draft, bytes: number): boolean {
  return bytes <= 0 || draft.heldBytes + bytes <= MAX_HELD_BYTES;
}

/**
 * Reserves bytes before a run holds them.
 * @throws GraphError `PAYLOAD_TOO_LARGE`, naming `subject`, if the limit is exceeded
 */
export function claimRoom(draft: Draft, bytes: number, subject: string): void {
  if (!hasRoomFor(draft, bytes)) throw holdsTooMuch(subject);
  draft.hold(bytes);
}

/** Each 64 bytes held cost one unit of the meter. */
const BYTES_PER_UNIT = 64;

/** The most signal results that a run remembers for queries. The API asks for a result right after its signal. */
const MAX_SIGNAL_RESULTS = 100;

/**
 * The approvals of a draft. A run may wait for thousands, so a change must not scan all of them: pending ones are
 * indexed by task, and the few closed ones are kept apart. Both indexes are built on first use.
 */
class DraftApprovals {
  readonly byId: Record<string, Approval>;
  #pendingByTask: IdsByTask | null = null;
  #closed: readonly Approval[] | null = null;

  constructor(approvals: Run['approvals']) {
    this.byId = { ...approvals };
  }

  /** The closed approvals that the run remembers, in the order of their requests. */
  get closed(): readonly Approval[] {
    return (this.#closed ??= Object.values(this.byId).filter((approval) => !isPendingApproval(approval)));
  }

  get pending(): readonly Approval[] {
    return Object.values(this.byId).filter(isPendingApproval);
  }

  /** Returns the pending approvals of the task at a path and of the tasks inside it, in the order of their requests. */
  pendingWithin(path: TaskPath): readonly Approval[] {
    this.#pendingByTask ??= new IdsByTask(this.pending.map(({ id, task }) => [id, task]));
    return this.#pendingByTask.within(path).flatMap((id) => own(this.byId, id) ?? []);
  }

  /** Saves a new or changed approval, and forgets the earliest closed ones beyond the limit. */
  save(approval: Approval): void {
    const { id, task } = approval;
    const forgotten = isPendingApproval(approval) ? [] : this.#addClosed(approval);
    this.byId[id] = approval;
    if (isPendingApproval(approval)) this.#pendingByTask?.add(id, task);
    else this.#pendingByTask?.delete(id, task);
    for (const one of forgotten) delete this.byId[one.id];
  }

  /** @returns the approvals beyond the limit, which were requested first */
  #addClosed(approval: Approval): readonly Approval[] {
    const number = approvalNumber(approval.id);
    const others = this.closed.filter(({ id }) => id !== approval.id);
    const closed = others.toSpliced(others.findLastIndex((one) => approvalNumber(one.id) < number) + 1, 0, approval);
    this.#closed = closed.slice(-MAX_CLOSED);
    return closed.slice(0, -MAX_CLOSED);
  }
}

function isPendingApproval({ status }: Approval): boolean {
  return status === 'pending';
}

/** The number of closed approvals that queries return; the store holds all of them. */
const MAX_CLOSED = 100;

/** The running timers of a draft, by id and by task. */
class DraftTimers {
  readonly byId: Record<string, OpenTimer>;
  /** Built on first use. */
  #byTask: IdsByTask | null = null;

  constructor(timers: Run['timers']) {
    this.byId = { ...timers };
  }

  add(id: string, timer: OpenTimer): void {
    this.byId[id] = timer;
    this.#byTask?.add(id, timer.taskPath);
  }

  /**
   * Removes a timer; `undefined` if it has fired or was canceled.
   * @param fireAt expected time of the timer; absent for any time
   */
  take(id: string, fireAt?: number): OpenTimer | undefined {
    const timer = own(this.byId, id);
    if (!timer || (fireAt ?? timer.fireAt) !== timer.fireAt) return undefined;
    delete this.byId[id];
    this.#byTask?.delete(id, timer.taskPath);
    return timer;
  }

  /** Returns the ids of the timers of the task at a path and of the tasks inside it, in the order of their starts. */
  within(path: TaskPath): readonly string[] {
    this.#byTask ??= new IdsByTask(Object.entries(this.byId).map(([id, { taskPath }]) => [id, taskPath]));
    return this.#byTask.within(path);
  }
}

/**
 * Ids of approvals or timers, indexed by the waiting task and by each enclosing task, in the order of insertion. A lookup
 * for one task does not scan the others.
 */
class IdsByTask {
  readonly #ids = new Map<string, Set<string>>();

  constructor(waiting: Iterable<readonly [id: string, path: TaskPath]>) {
    for (const [id, path] of waiting) this.add(id, path);
  }

  add(id: string, path: TaskPath): void {
    for (const task of pathsOfEnclosingTasks(path)) {
      const ids = this.#ids.get(task);
      if (ids) ids.add(id);
      else this.#ids.set(task, new Set([id]));
    }
  }

  delete(id: string, path: TaskPath): void {
    for (const task of pathsOfEnclosingTasks(path)) this.#ids.get(task)?.delete(id);
  }

  /** Returns the ids of the task at a path and of the tasks inside it. */
  within(path: TaskPath): readonly string[] {
    return [...(this.#ids.get(path.join('/')) ?? [])];
  }
}

function pathsOfEnclosingTasks(path: TaskPath): readonly string[] {
  return path.map((_key, depth) => path.slice(0, depth + 1).join('/'));
}
