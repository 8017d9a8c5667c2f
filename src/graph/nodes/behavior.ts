import type { Update } from '../channels/channel.ts';
import type { ApprovalPolicy } from '../definition/definition.ts';
import type { Bindings } from '../expression/expression.ts';
import type { Approval } from '../run/approval.ts';
import type { CallRequest, ModelCallRequest, CallReply, ToolCallRequest } from '../run/effect.ts';
import type { Principal } from '../run/principal.ts';
import type { ResumablePosition, NodePosition, Outcome } from '../run/scope.ts';
import type { ModelNeeds } from '../run/spending.ts';
import { GraphError, toRunError } from '../values/errors.ts';
import type { TaskFailure, RunError, RunErrorCode } from '../values/errors.ts';
import type { Json } from '../values/json.ts';

/** How the tasks of one compiled node go on. Each node type makes its runners in a file of its own. */
export interface NodeBehavior {
  start(task: TaskContext): Progress;
  /** Goes on where a task stood that had failed; nodes without it begin anew. */
  restart?(task: TaskContext, position: ResumablePosition): Progress;
  /** Takes in what has become of a call after the task itself had failed. @returns where a retry goes on then */
  keepLate?(task: TaskContext, position: ResumablePosition, happening: TaskInput): ResumablePosition;
  /** Goes on after something that the task waits for; `position` is what `start` or the last `resume` left. */
  resume(task: TaskContext, position: NodePosition, happening: TaskInput): Progress;
  /** Of nodes that are a question to people: who may decide. */
  readonly policy?: ApprovalPolicy;
  /** The call that takes back what the node's own call has done. */
  readonly compensate?: Compensate;
}

/** Makes the call that undoes another one; `result` of that call is among the bindings. @throws GraphError when its arguments can't be filled */
export type Compensate = (bindings: Bindings) => ToolCallRequest;

/** What a task sees and may ask for. Asking records an effect; it happens after the step is over. */
export interface TaskContext {
  /** `state`, `run`, `item` and `index` as the node's expressions see them. */
  readonly bindings: Bindings;
  /** Whose run it is. */
  readonly createdBy: Principal;
  /** False in the last node of a run that is canceled: nobody is asked any more. */
  readonly asksPeople: boolean;
  /**
   * @param number tells the calls of one task apart
   * @param takeover goes up when a person has ordered the call again
   * @returns the call's idempotency key
   */
  call(number: number, request: CallRequest, takeover?: number): string;
  /** Whether one more call may be out; a task that may not make one goes on when it is told of `capacity`. */
  hasCapacity(): boolean;
  /** As `hasCapacity`, of a call of a model, which needs room in the budgets, too. */
  hasModelCapacity(): boolean;
  /**
   * What a call of a model has to wait for room for, which others have set aside; it is told of `capacity` when there is
   * some. @returns `null`: it need not wait
   */
  missingBudget(request: ModelCallRequest): ModelNeeds | null;
  /** False of a model without a price, in a run whose cost has a limit. */
  isModelAllowed(model: string): boolean;
  /** Why the run may not call tools so many times more; `null`: it may. */
  refuseToolCalls(count: number): TaskFailure | null;
  requestApproval(question: Question): { readonly approvalId: string; readonly timerId: string };
  /** Closes an approval that nobody decided in time. @returns it as it is then */
  expireApproval(id: string, status: Approval['status']): Approval;
  cancelTimer(id: string): void;
  /** Milliseconds since the epoch; `at` is the same as RFC 3339. */
  readonly now: number;
  readonly at: string;
  /** @returns the id of the timer, the only one of this task */
  startTimer(fireAt: number): string;
  /** The payload of the oldest event of that name that came before; `undefined`: there is none. */
  takeEvent(name: string): Json | undefined;
}

export type Question = Pick<
  Approval,
  'title' | 'details' | 'args' | 'argsSchema' | 'decisionSchema' | 'policy' | 'tool'
> & {
  readonly timeoutMs: number;
};

export type Progress =
  | { readonly kind: 'open'; readonly position: NodePosition }
  | Outcome
  /** With what is `kept`, a retry goes on from there. */
  | { readonly kind: 'failed'; readonly failure: TaskFailure; readonly saved?: ResumablePosition };

/** What a task waited for. */
export type TaskInput =
  | { readonly kind: 'call.completed'; readonly key: string; readonly reply: CallReply }
  | { readonly kind: 'call.failed'; readonly key: string; readonly failure: TaskFailure }
  /** A person orders one of the task's calls again, or gives its result instead. */
  | { readonly kind: 'call.ordered'; readonly number: number }
  | { readonly kind: 'call.skipped'; readonly number: number; readonly output: Json }
  /** One more call may be out now, or what a call waits for of the budgets has been given back. */
  | { readonly kind: 'capacity' }
  | { readonly kind: 'approval.closed'; readonly approval: Approval }
  | { readonly kind: 'timer'; readonly id: string }
  | { readonly kind: 'event'; readonly payload: Json }
  | { readonly kind: 'subgraph.finished'; readonly output: Json }
  | { readonly kind: 'subgraph.failed'; readonly error: RunError };

/** Whether it tells what a call has done, or that nobody can tell: that is kept even where nothing new may begin. */
export function isCallResult(happening: TaskInput): boolean {
  return happening.kind === 'call.failed'
    ? happening.failure.error.code === 'UNKNOWN_OUTCOME'
    : happening.kind === 'call.completed';
}

export function done(result: Json, update?: Update): Progress {
  return update === undefined ? { kind: 'done', result } : { kind: 'done', result, update };
}

export function failed(failure: TaskFailure, saved?: ResumablePosition): Progress {
  return saved === undefined ? { kind: 'failed', failure } : { kind: 'failed', failure, saved };
}

/** A failure of the node's own, with no call behind it. */
export function failedBecause(code: RunErrorCode, message: string): Progress {
  return failed({ callFailed: false, error: { code, message } });
}

/** Does the next thing; when that can't be done, a retry goes on from where the task stands now. */
export function savingProgress(kept: ResumablePosition, step: () => Progress): Progress {
  try {
    return step();
  } catch (error) {
    if (error instanceof GraphError) return failed({ callFailed: false, error: toRunError(error) }, kept);
    throw error;
  }
}

/** The interpreter lost its place; the run fails with `INTERNAL` and stays readable. */
export function unexpected(position: NodePosition): TypeError {
  return new TypeError(`A task at position "${position.kind}" was given what it does not wait for`);
}

export function nothingToResume(_task: unknown, position: NodePosition): never {
  throw unexpected(position);
}
