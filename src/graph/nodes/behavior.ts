import type { UpdateByChannel } from '../channels/channel.ts';
import type { ApprovalPolicy } from '../definition/node-types/approval.ts';
import type { Bindings } from '../expression/names.ts';
import type { ApprovalContent, Approval } from '../run/approval.ts';
import type { CallReply, CallRequest, ModelCallRequest, ReadingRequest, ToolCallRequest } from '../run/effect.ts';
import type { CallResult } from '../run/occurrence.ts';
import type { Principal } from '../run/principal.ts';
import type { ApprovalPosition, NodePosition, TaskOutcome, ResumablePosition } from '../run/scope.ts';
import type { ModelNeeds } from '../run/limits.ts';
import { GraphError, toRunError } from '../values/errors.ts';
import type { RunError, RunErrorCode, TaskFailure } from '../values/errors.ts';
import type { Json } from '../values/json.ts';

/** The behavior of one compiled node: it moves tasks of the node from position to position. */
export interface NodeBehavior {
  start(task: TaskContext): TaskProgress;
  /** Continues a failed task from its saved position. Without this method, failed tasks start anew. */
  restart?(task: TaskContext, position: ResumablePosition): TaskProgress;
  /** Adds the result of a call that arrives after the task has failed. @returns the new saved position */
  updateSaved?(task: TaskContext, position: ResumablePosition, input: TaskInput): ResumablePosition;
  /** Continues an open task with an input; `position` is the one that the last progress returned. */
  resume(task: TaskContext, position: NodePosition, input: TaskInput): TaskProgress;
  /**
   * Fills the content of a pending approval of the task for another state; `null` if the task needs no approval on that
   * state. Absent if the approval does not depend on the state.
   * @throws GraphError
   */
  readonly fillQuestion?: (bindings: Bindings, position: ApprovalPosition) => ApprovalContent | null;
  /**
   * Withdraws the approvals of tool calls whose fixed arguments differ on the edited state. The calls begin again.
   * @param mayCompute false to withdraw every approval with fixed arguments
   * @returns the new position; `null` if nothing has changed
   */
  readonly withdrawOutdated?: (task: TaskContext, position: NodePosition, mayCompute: boolean) => NodePosition | null;
  /** The people who may decide; absent if the node itself requests no approval. */
  readonly policy?: ApprovalPolicy;
  /** Makes the call that compensates the node's own call. */
  readonly compensate?: Compensator;
}

/** Makes the call that compensates another one. Its methods throw a GraphError when the tool is unknown. */
export interface Compensator {
  /**
   * Fills the call's arguments; the bindings include `result` of the other call.
   * @param editors the run's editors, its starter first
   * @throws GraphError when one of them may not call it, or its arguments can't be filled or break its parameters
   */
  fill(bindings: Bindings, editors: readonly Principal[]): CompensatingCall;
  /** Reads arguments edited by a person. @throws GraphError when they break the tool's parameters */
  read(args: Json): CompensatingCall;
  /** @throws GraphError when the rule of the tool can't be evaluated */
  needsApproval(args: Json): boolean;
}

/** The call that compensates another one. */
export interface CompensatingCall {
  readonly request: ToolCallRequest;
  /** Present if the tool's own schema must still read the arguments; a person may have to approve the outcome. */
  readonly reading?: ReadingRequest;
  /** True if a person must approve the call, by its tool's rule. */
  readonly needsApproval: boolean;
}

/** The task as its node's behavior sees it. Its methods record effects, which are executed after `advance`. */
export interface TaskContext {
  /** The values of `state`, `run`, `item` and `index`. */
  readonly bindings: Bindings;
  /** The run's editors, its starter first. */
  readonly editors: readonly Principal[];
  /** False in the last node of a canceled run, which may not wait for people. */
  readonly asksPeople: boolean;
  /**
   * Makes a call.
   * @param number distinguishes the calls of one task
   * @param takeover increases each time a person repeats a call of unknown outcome
   * @returns the call's idempotency key
   */
  call(number: number, request: CallRequest, takeover?: number): string;
  /**
   * Requests that a tool's own schema reads the arguments of the call with this number.
   * @returns the key of the reading
   */
  read(number: number, request: ReadingRequest): string;
  /**
   * True if the run's concurrency allows one more call. A task that has to wait later receives the input `capacity`.
   */
  hasCapacity(): boolean;
  /** Like `hasCapacity`, but for a model call, which also needs a part of the budgets. */
  hasModelCapacity(): boolean;
  /**
   * Returns what a model call needs if it must wait for reservations of other calls; the task receives `capacity`
   * later.
   * @returns `null` if the call need not wait
   */
  missingBudget(request: ModelCallRequest): ModelNeeds | null;
  /** False for a model without a price in a run with a cost limit. */
  isModelAllowed(model: string): boolean;
  /** Returns the failure of making the tool calls with these numbers; `null` if the run's budget allows them. */
  findToolBudgetFailure(numbers: readonly number[]): TaskFailure | null;
  requestApproval(question: ApprovalQuestion): { readonly approvalId: string; readonly timerId: string };
  /** Records and counts a tool call that a graph inside the task executes. @throws GraphError `BUDGET_EXCEEDED` */
  beginGraph(number: number, tool: string, args: Json): void;
  /** Closes an approval after its timeout. @returns the closed approval */
  expireApproval(id: string, status: Approval['status']): Approval;
  /** Cancels a pending approval that shows something else than it would by now. */
  withdrawApproval(id: string): void;
  cancelTimer(id: string): void;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `now` as an RFC 3339 timestamp. */
  readonly timestamp: string;
  /** Starts the only timer of this task. @returns its id */
  startTimer(fireAt: number): string;
  /** Takes the payload of the oldest buffered event of that name; `undefined` if there is none. */
  takeEvent(name: string): Json | undefined;
}

/** The parts of an approval that its node determines. */
export type ApprovalQuestion = Pick<
  Approval,
  'title' | 'details' | 'args' | 'argsSchema' | 'fixedArgs' | 'decisionSchema' | 'policy' | 'tool'
> & {
  readonly timeoutMs: number;
};

/** The state of a task after a step: it waits at a position, is done, or has failed. */
export type TaskProgress =
  | { readonly kind: 'open'; readonly position: NodePosition }
  | TaskOutcome
  /** A retry continues from `saved`; without it, the task starts anew. */
  | { readonly kind: 'failed'; readonly failure: TaskFailure; readonly saved?: ResumablePosition };

/** An occurrence that an open task waits for. */
export type TaskInput =
  | { readonly kind: 'call.completed'; readonly key: string; readonly reply: CallReply }
  | { readonly kind: 'call.failed'; readonly key: string; readonly failure: TaskFailure }
  /** A person has ordered to repeat one of the task's calls. */
  | { readonly kind: 'call.repeated'; readonly number: number }
  /** A person has given the result of one of the task's calls. */
  | { readonly kind: 'call.skipped'; readonly number: number; readonly output: Json }
  /** The run's concurrency or budgets now allow a call that was waiting for them. */
  | { readonly kind: 'capacity' }
  | { readonly kind: 'approval.closed'; readonly approval: Approval }
  | { readonly kind: 'timer'; readonly id: string }
  | { readonly kind: 'event'; readonly payload: Json }
  | { readonly kind: 'subgraph.finished'; readonly output: Json }
  | { readonly kind: 'subgraph.failed'; readonly error: RunError }
  | GraphCallResult;

/** The result of a graph that ran as a tool call. */
export type GraphCallResult = {
  readonly number: number;
  /** The rest of the node's deadline, in milliseconds; `null` if it has none. */
  readonly leftMs: number | null;
} & (
  | { readonly kind: 'graph.finished'; readonly output: Json }
  | { readonly kind: 'graph.failed'; readonly failure: TaskFailure }
);

/** The result of a call as its task receives it. */
export type CallResultInput = TaskInput & { readonly kind: CallResult['kind'] };

/** True for the result of a call: its reply, or any failure. */
export function isCallResult(input: TaskInput): input is CallResultInput {
  return input.kind === 'call.completed' || input.kind === 'call.failed';
}

export function taskDone(result: Json, update?: UpdateByChannel): TaskProgress {
  return update === undefined ? { kind: 'done', result } : { kind: 'done', result, update };
}

export function taskFailed(failure: TaskFailure, saved?: ResumablePosition): TaskProgress {
  return saved === undefined ? { kind: 'failed', failure } : { kind: 'failed', failure, saved };
}

/** A failure of the node itself, without a failed call. */
export function failedBecause(code: RunErrorCode, message: string): TaskProgress {
  return taskFailed({ callFailed: false, error: { code, message } });
}

/** Runs a step of a task. If the step throws a `GraphError`, the task fails, and a retry continues from `saved`. */
export function savingProgress(saved: ResumablePosition, step: () => TaskProgress): TaskProgress {
  try {
    return step();
  } catch (error) {
    if (error instanceof GraphError) return taskFailed({ callFailed: false, error: toRunError(error) }, saved);
    throw error;
  }
}

/**
 * Returns the error of an input that a task does not wait for. It is a fault of the interpreter, `INTERNAL` to the run.
 */
export function unexpectedInput(position: NodePosition): TypeError {
  return new TypeError(`A task at position "${position.kind}" was given what it does not wait for`);
}

/** The `resume` of nodes whose tasks never stay open. */
export function nothingToResume(_task: unknown, position: NodePosition): never {
  throw unexpectedInput(position);
}
