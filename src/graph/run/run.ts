import type { Json } from '../values/json.ts';
import type { Approval } from './approval.ts';
import type { Compensation, UnknownCompensation, CompensationCall } from './compensation.ts';
import type { Countdown } from './countdown.ts';
import type { TaskPath } from './ids.ts';
import type { RunLimits } from './limits.ts';
import type { RunPhase } from './phase.ts';
import type { Principal } from './principal.ts';
import type { SignalResult } from './refusal.ts';
import type { Scope } from './scope.ts';
import type { Spent, Reservation } from './spending.ts';

/**
 * The whole state of a run as one JSON value. It is carried from step to step, over continue-as-new, into checkpoints
 * and queries; nothing about a run is kept anywhere else in the workflow.
 */
export interface Run {
  /** Version of this shape; older ones are migrated when they are read (`run-format.ts`). */
  readonly format: 1;
  readonly id: string;
  readonly tenantId: string;
  readonly threadId: string | null;
  readonly graph: { readonly name: string; readonly version: number | null; readonly hash: string };
  readonly createdBy: Principal;
  /** The run that this one is a fork of. */
  readonly parent: ParentRun | null;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly limits: RunLimits;
  readonly phase: RunPhase;
  readonly root: Scope;
  /** Calls that were asked for and have not come back, by their key. */
  readonly calls: Readonly<Record<string, OpenCall>>;
  /** Timers that run, by their id. */
  readonly timers: Readonly<Record<string, OpenTimer>>;
  /** Approvals of this run by their id: all that are pending, and the latest of those that are not any more. */
  readonly approvals: Readonly<Record<string, Approval>>;
  /** What became of the latest decisions and controls that carried an id. */
  readonly outcomes: readonly SignalResult[];
  /** Events that came before a node waited for them, the oldest first. */
  readonly bufferedEvents: readonly BufferedEvent[];
  /** The latest checkpoint holds those events. */
  readonly areBufferedEventsSaved: boolean;
  /** Breakpoints of this run on top of its graph's. */
  readonly breakpoints: Breakpoints;
  /** What is left of the deadline, and since when it runs; `null`: there is none. */
  readonly countdown: Countdown | null;
  readonly compensation: RunCompensation;
  readonly spent: Spent;
  /** Keys of calls that have been answered and may be asked for again, of the open superstep: what they used is in `spent`. */
  readonly counted: readonly string[];
  readonly checkpointId: string | null;
  readonly counters: Counters;
}

/** How far a run has taken back what it did, when it fails or is canceled. */
export interface RunCompensation {
  /** What is still to be taken back, the earliest first. */
  readonly pending: readonly Compensation[];
  /** How much has been taken back, or was tried to be. */
  readonly doneCount: number;
  /** What could not be taken back, and why. */
  readonly failures: readonly string[];
  /** The outcome of the latest compensation is unknown: a person has to say. */
  readonly unknown: UnknownCompensation | null;
}

/** The run that another one goes on from, and where. */
export interface ParentRun {
  readonly runId: string;
  readonly checkpoint: string;
  /** What it did after that: whoever decides in the fork should know. */
  readonly callsSince: readonly EarlierCall[];
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

/** Node ids, or `*` for all of them. */
export interface Breakpoints {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Where ids inside a run come from: the run's id, a kind and the next number of that kind. */
export interface Counters {
  readonly seq: number;
  readonly checkpoint: number;
  readonly approval: number;
  readonly occurrence: number;
}

export interface OpenCall {
  readonly taskPath: TaskPath;
  readonly called: { readonly kind: 'model' | 'tool' | 'function' | 'node'; readonly name: string };
  /** When it was asked for, in milliseconds since the epoch. */
  readonly since: number;
  /** What it may use of the budgets; what it has used takes its place. */
  readonly reservation?: Reservation;
  /** The call that it takes back; no task waits for it. */
  readonly compensates?: CompensationCall;
}

export interface OpenTimer {
  readonly taskPath: TaskPath;
  /** Milliseconds since the epoch. */
  readonly fireAt: number;
  readonly summary: string;
}
