import type { Limits } from '../definition/limits.ts';
import type { Json } from '../values/json.ts';
import type { Approval } from './approval.ts';
import type { ClosedApproval } from './earlier-approvals.ts';
import type { Compensation, CompensationCall, PossiblyExecutedCall, UndoneWork } from './compensation.ts';
import type { Countdown, RunLimits, BudgetUsage, Reservation } from './limits.ts';
import type { TaskPath } from './ids.ts';
import type { RunPhase } from './phase.ts';
import type { Principal } from './principal.ts';
import type { SignalResult } from './occurrence.ts';
import type { Scope } from './scope.ts';

/**
 * The interpreter's whole state of a run, as one JSON value. The workflow adds only the state of its execution, such as
 * deferred calls and entries that are not in the store yet (`Continuation` in `workflows/contract.ts`).
 */
export interface Run {
  /** The version of this shape; older ones are migrated on reading (`readRun`). */
  readonly format: 1;
  readonly id: string;
  readonly tenantId: string;
  readonly threadId: string | null;
  readonly graph: { readonly name: string; readonly version: number | null; readonly hash: string };
  readonly createdBy: Principal;
  /** The other editors of the run, who have changed its state or course. `editors.ts` limits their number. */
  readonly shapedBy: readonly Principal[];
  /** The run that this one was forked from. */
  readonly parent: ParentRun | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly limits: RunLimits;
  /** The limits that retries have set, as people wrote them; `limits` has the effective ones. */
  readonly raisedLimits: Limits;
  readonly phase: RunPhase;
  readonly root: Scope;
  /** Open calls by key. */
  readonly calls: Readonly<Record<string, OpenCall>>;
  /** Running timers by id. */
  readonly timers: Readonly<Record<string, OpenTimer>>;
  /** All pending approvals and the latest closed ones, by id. */
  readonly approvals: Readonly<Record<string, Approval>>;
  /** Results of the latest decisions and controls with an id. */
  readonly signalResults: readonly SignalResult[];
  /** Events that arrived before a node waited for them, oldest first. */
  readonly bufferedEvents: readonly BufferedEvent[];
  /** True if the latest checkpoint contains those events. */
  readonly areBufferedEventsSaved: boolean;
  /** Breakpoints of this run, added to its graph's. */
  readonly breakpoints: Breakpoints;
  /** The deadline's countdown; `null` without a deadline. */
  readonly countdown: Countdown | null;
  readonly compensation: CompensationProgress;
  readonly spent: BudgetUsage;
  readonly computed: ComputedUnits;
  /** Keys of calls that the open superstep may request again; their usage is already in `spent`. */
  readonly counted: readonly string[];
  readonly checkpointId: string | null;
  readonly counters: Counters;
}

/** Units of the meter that a run has computed. */
export interface ComputedUnits {
  /** Units for the open superstep of its own graph, graphs inside included. */
  readonly superstep: number;
  /** Units since the last input from outside. */
  readonly alone: number;
}

/**
 * The compensation of a run: what must be done if it fails or is canceled, and what has been done since it began to
 * end.
 */
export interface CompensationProgress {
  /** Pending compensations, earliest first. */
  readonly pending: readonly Compensation[];
  /** The calls whose compensation has begun or failed, whatever its outcome; `null` if there are none. */
  readonly undone: UndoneWork | null;
  /** Messages of failed compensations. */
  readonly failures: readonly string[];
  /**
   * Possibly executed calls without a result, oldest first. The error of a run that fails or is canceled names them.
   */
  readonly perhapsMade: readonly PossiblyExecutedCall[];
}

/** A parent run and the checkpoint of the fork. */
export interface ParentRun {
  readonly runId: string;
  readonly checkpoint: string;
  /** The parent's calls after the checkpoint, which the fork's approvals contain. */
  readonly callsSince: readonly EarlierCall[];
  /** The parent's closed approvals, oldest first. Approvals of the fork with the same question list them. */
  readonly closedApprovals: readonly ClosedApproval[];
}

/** A call that a run has made. */
export interface EarlierCall {
  readonly node: string;
  readonly tool: string;
  readonly at: string;
}

export interface BufferedEvent {
  readonly name: string;
  readonly payload: Json;
}

/** Node ids, or `*` for all nodes. */
export interface Breakpoints {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The latest number of each kind; ids consist of the run's id, a kind and a number. */
export interface Counters {
  readonly seq: number;
  readonly checkpoint: number;
  readonly approval: number;
  readonly occurrence: number;
}

export interface OpenCall {
  readonly taskPath: TaskPath;
  readonly called: { readonly kind: 'model' | 'tool' | 'function' | 'node' | 'reading'; readonly name: string };
  /** The time of the request, in milliseconds since the epoch. */
  readonly since: number;
  /** The call's reservation of the budgets until its real usage is known. */
  readonly reservation?: Reservation;
  /** The bytes of its request that count for what the run holds; absent for none. */
  readonly bytes?: number;
  /** The number of repetitions of the call at the time of this request. */
  readonly takeover: number;
  readonly ifUnknown?: UnknownOutcomeRule;
  /** The call that this one compensates. No task waits for this one. */
  readonly compensates?: CompensationCall;
}

/**
 * The rule for a call with an effect outside whose outcome stays unknown: the run's error names it, or a person settles
 * it before anything repeats it.
 */
export type UnknownOutcomeRule = 'name' | 'ask';

export interface OpenTimer {
  readonly taskPath: TaskPath;
  /** Milliseconds since the epoch. */
  readonly fireAt: number;
  readonly summary: string;
}

/** A run in the shape of an earlier version. */
export interface StoredRun {
  readonly format: number;
}

/** Migrates a run from one format to the next. A migration is pure, and never changed once released. */
type RunMigration = (run: StoredRun) => object;

/** The first migration leads from format 1 to 2, and so on. */
const MIGRATIONS: readonly RunMigration[] = [];

/**
 * Migrates a run from another execution, or from the store, to the current shape.
 * @throws if a later version wrote it
 */
export function readRun(stored: StoredRun, migrations = MIGRATIONS): Run {
  const newest = migrations.length + 1;
  const run = migrations
    .slice(stored.format - 1)
    .reduce<StoredRun>((before, migrate) => ({ ...migrate(before), format: before.format + 1 }), stored);
  if (hasNewestFormat(run, newest)) return run;
  throw new Error(`The run has format ${stored.format}; this version knows those up to ${newest}`);
}

/** The migrations have produced the current format. */
function hasNewestFormat(run: StoredRun, newest: number): run is Run {
  return run.format === newest;
}
