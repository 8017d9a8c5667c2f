import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import { batchOf } from '../run/position.ts';
import type { ResumablePosition, TaskState } from '../run/scope.ts';
import { isEnding } from '../run/status.ts';
import type { TaskHandle } from './frames.ts';

/** A task resumes with an input, only keeps its result for a retry, or ignores it. */
export type Acceptance = 'resume' | 'keep' | 'ignore';

type FailedState = TaskState & { readonly phase: 'failed' | 'intervention' };

type Rule<P extends TaskState['phase']> = (state: TaskState & { readonly phase: P }, input: TaskInput) => Acceptance;

/** The rule for an input by the task's phase: `ending` applies once the run, or an enclosing node, is about to end. */
const RULES: { readonly [P in TaskState['phase']]: { readonly going: Rule<P>; readonly ending: Rule<P> } } = {
  ready: { going: () => 'ignore', ending: () => 'ignore' },
  open: { going: () => 'resume', ending: ({ position }, input) => lateResult(input, batchOf(position).length > 0) },
  intervention: { going: keepResult, ending: keepResult },
  failed: { going: keepResult, ending: keepResult },
  completed: { going: () => 'ignore', ending: () => 'ignore' },
  diverted: { going: () => 'ignore', ending: () => 'ignore' },
};

/** Returns the use of an input: a finished task ignores it, and an ending run or node starts no new work with it. */
export function acceptanceOf(handle: TaskHandle, input: TaskInput): Acceptance {
  return ruleFor(handle.task.state, isAboutToEnd(handle) ? 'ending' : 'going')(input);
}

function ruleFor<P extends TaskState['phase']>(
  state: TaskState & { readonly phase: P },
  when: 'going' | 'ending',
): (input: TaskInput) => Acceptance {
  const rule: Rule<P> = RULES[state.phase][when];
  return (input) => rule(state, input);
}

/** True if the run, or an enclosing node, only waits for its open calls. */
export function isAboutToEnd({ draft, frame }: TaskHandle): boolean {
  return isEnding(draft.run) || frame.isFailing;
}

/** An ending task accepts failed calls, whose outcome may be unknown, and results of a tool batch. */
function lateResult(input: TaskInput, isOneOfSeveral: boolean): Acceptance {
  return isCallResult(input) && (input.kind === 'call.failed' || isOneOfSeveral) ? 'resume' : 'ignore';
}

function keepResult(state: TaskState, input: TaskInput): Acceptance {
  return isCallResult(input) && keepsCalls(state) ? 'keep' : 'ignore';
}

/** True for a failed task with a part of its work saved, which may include open calls. */
export function keepsCalls(state: TaskState): state is FailedState & { readonly saved: ResumablePosition } {
  const hasFailed = state.phase === 'failed' || state.phase === 'intervention';
  return hasFailed && state.saved !== null && state.saved.kind !== 'finished';
}
