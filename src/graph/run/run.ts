import type { Limits } from '../definition/limits.ts';
import type { Json } from '../values/json.ts';
import type { Approval } from './approval.ts';
import type { ClosedApproval } from './asked-before.ts';
import type { Compensation, CompensationCall, PossiblyExecutedCall, UndoneWork } from './compensation.ts';
import type { Countdown, RunLimits, Spent, Reservation } from './limits.ts';
import type { TaskPath } from './ids.ts';
import type { RunPhase } from './phase.ts';
import type { Principal } from './principal.ts';
import type { SignalResult } from './occurrence.ts';
import type { Scope } from './scope.ts';

/**
 * The interpreter's whole state of a run, as one JSON value. The workflow adds only the state of its execution, such as
 * deferred calls and entries that the store lacks (`Continuation` in `workflows/contract.ts`).
 */
export interface Run {
  /** The version of this shape; older ones are migrated on reading (`run-format.ts`). */
  readonly format: 1;
  readonly id: string;
  readonly tenantId: string;
  readonly threadId: string | null;
  readonly graph: { readonly name: string; readonly version: number | null; readonly hash: string };
  readonly createdBy: Principal;
  /** Others who have changed the run's state or course; `shapers.ts` limits their number. */
  readonly shapedBy: readonly Principal[];
  /** The run that this one was forked from. */
  readonly parent: ParentRun | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly limits: RunLimits;
  /** The limits that retries have set, as people asked for them; `limits` has them in force. */
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
  /** The latest checkpoint contains those events. */
  readonly areBufferedEventsSaved: boolean;
  /** Breakpoints of this run, added to its graph's. */
  readonly breakpoints: Breakpoints;
  /** The deadline's countdown; `null` without a deadline. */
  readonly countdown: Countdown | null;
  readonly compensation: CompensationProgress;
  readonly spent: Spent;
  readonly computed: Computed;
  /** Keys of calls that the open superstep may request again; their usage is already in `spent`. */
  readonly counted: readonly string[];
  readonly checkpointId: string | null;
  readonly counters: Counters;
}

/** What a run has computed, in units of the meter. */
export interface Computed {
  /** For the open superstep of its own graph, graphs inside included. */
  readonly superstep: number;
  /** Since it last heard from outside. */
  readonly alone: number;
}

/** The compensation of a run: what is to be done if it fails or is canceled, and what has been done since it is ending. */
export interface CompensationProgress {
  /** Pending compensations, earliest first. */
  readonly pending: readonly Compensation[];
  /** The calls whose compensation has begun or failed, however it ends; `null`: there are none. */
  readonly undone: UndoneWork | null;
  /** Messages of failed compensations. */
  readonly failures: readonly string[];
  /** Calls that may have been made and have no result, oldest first; their run says so if it fails or is canceled. */
  readonly perhapsMade: readonly PossiblyExecutedCall[];
}

/** A parent run and the checkpoint of the fork. */
export interface ParentRun {
  readonly runId: string;
  readonly checkpoint: string;
  /** The parent's calls after the checkpoint, shown to deciders in the fork. */
  readonly callsSince: readonly EarlierCall[];
  /** The parent's closed approvals, oldest first, which approvals of the fork list if they ask the same. */
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
  /** The call's share of the budgets until its real usage is known. */
  readonly reservation?: Reservation;
  /** The bytes of its request that count for what the run holds; absent: none. */
  readonly bytes?: number;
  /** How often it had been ordered again when it was requested. */
  readonly takeover: number;
  readonly ifUnknown?: UnknownOutcomeRule;
  /** The compensated call; no task waits for this one. */
  readonly compensates?: CompensationCall;
}

/**
 * The rule for a call that changes something outside, if its outcome stays unknown: the run's error names it, or a person
 * settles it before anything repeats it.
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

/** Migrates a run from one format to the next. Pure, and unchanged once released. */
type Migration = (run: StoredRun) => object;

/** The first migration leads from format 1 to 2, and so on. */
const MIGRATIONS: readonly Migration[] = [];

/**
 * Migrates a run from another execution, or from the store, to the current shape. @throws if a later version wrote it
 */
export function readRun(stored: StoredRun, migrations = MIGRATIONS): Run {
  const newest = migrations.length + 1;
  const run = migrations
    .slice(stored.format - 1)
    .reduce<StoredRun>((before, migrate) => ({ ...migrate(before), format: before.format + 1 }), stored);
  if (hasFormat(run, newest)) return run;
  throw new Error(`The run has format ${stored.format}; this version knows those up to ${newest}`);
}

/** The migrations have produced the current format. */
function hasFormat(run: StoredRun, newest: number): run is Run {
  return run.format === newest;
}
