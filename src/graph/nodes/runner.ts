import type { Approval } from '../approval.ts';
import type { CallReply, CallRequest } from '../effect.ts';
import type { Bindings } from '../expression.ts';
import type { RunError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { TaskFailure, Update } from '../scope.ts';
import type { NodePosition } from './position.ts';

/** How the tasks of one compiled node go on. Each node type makes its runners in a file of its own. */
export interface NodeRunner {
  start(task: TaskContext): Progress;
  /** Goes on after something that the task waits for; `position` is what `start` or the last `resume` left. */
  resume(task: TaskContext, position: NodePosition, happening: Happening): Progress;
}

/** What a task sees and may ask for. Asking records an effect; it happens after the step is over. */
export interface TaskContext {
  /** `state`, `run`, `item` and `index` as the node's expressions see them. */
  readonly bindings: Bindings;
  /** @returns the call's idempotency key. `number` tells the calls of one task apart */
  call(number: number, request: CallRequest): string;
  requestApproval(question: Question): { readonly approvalId: string; readonly timerId: string };
  /** Closes an approval that nobody decided in time. @returns it as it is then */
  expireApproval(id: string, status: Approval['status']): Approval;
  cancelTimer(id: string): void;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** @returns the id of the timer, the only one of this task */
  startTimer(fireAt: number): string;
  /** The payload of the oldest event of that name that came before; `undefined`: there is none. */
  takeEvent(name: string): Json | undefined;
}

export type Question = Pick<Approval, 'title' | 'details' | 'args' | 'argsSchema' | 'decisionSchema' | 'policy'> & {
  readonly timeoutMs: number;
};

export type Progress =
  | { readonly kind: 'open'; readonly position: NodePosition }
  | { readonly kind: 'done'; readonly result: Json; readonly update?: Update }
  | { readonly kind: 'commanded'; readonly command: Command }
  | { readonly kind: 'failed'; readonly failure: TaskFailure };

/** What a task waited for. */
export type Happening =
  | { readonly kind: 'call.completed'; readonly reply: CallReply }
  | { readonly kind: 'call.failed'; readonly failure: TaskFailure }
  | { readonly kind: 'approval.closed'; readonly approval: Approval }
  | { readonly kind: 'timer'; readonly id: string }
  | { readonly kind: 'event'; readonly payload: Json }
  | { readonly kind: 'subgraph.finished'; readonly output: Json }
  | { readonly kind: 'subgraph.failed'; readonly error: RunError };

/** What code may say to the engine instead of giving a result. */
export interface Command {
  readonly update: Update;
  readonly goto: readonly string[];
  readonly control: 'continue' | 'pause' | 'abort' | 'replan';
  readonly reason: string | null;
}

export function done(result: Json, update?: Update): Progress {
  return update === undefined ? { kind: 'done', result } : { kind: 'done', result, update };
}

export function failed(failure: TaskFailure): Progress {
  return { kind: 'failed', failure };
}
