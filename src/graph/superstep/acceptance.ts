import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import { batchOf } from '../run/position.ts';
import type { ResumablePosition, TaskState } from '../run/scope.ts';
import { isEnding } from '../run/status.ts';
import type { TaskHandle } from './frames.ts';

/** A task goes on with an input, or only keeps what it says for a retry, or ignores it. */
export type Acceptance = 'resume' | 'keep' | 'ignore';

type FailedState = TaskState & { readonly phase: 'failed' | 'intervention' };

type Rule<P extends TaskState['phase']> = (state: TaskState & { readonly phase: P }, input: TaskInput) => Acceptance;

/** By the phase of a task: what becomes of an input while the run goes on, and once it or a node around is about to end. */
const RULES: { readonly [P in TaskState['phase']]: { readonly going: Rule<P>; readonly ending: Rule<P> } } = {
  ready: { going: () => 'ignore', ending: () => 'ignore' },
  open: { going: () => 'resume', ending: ({ position }, input) => lateResult(input, batchOf(position).length > 0) },
  intervention: { going: keepResult, ending: keepResult },
  failed: { going: keepResult, ending: keepResult },
  completed: { going: () => 'ignore', ending: () => 'ignore' },
  diverted: { going: () => 'ignore', ending: () => 'ignore' },
};

/** An input comes too late for a task that is over, and at the end of a run where it would begin new work. */
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

/** The run, or a node around a task, only waits for its calls. */
export function isAboutToEnd({ draft, frame }: TaskHandle): boolean {
  return isEnding(draft.run) || frame.isFailing;
}

/** An unknown outcome is kept, and what has become of one of several calls. */
function lateResult(input: TaskInput, isOneOfSeveral: boolean): Acceptance {
  return isCallResult(input) && (input.kind === 'call.failed' || isOneOfSeveral) ? 'resume' : 'ignore';
}

function keepResult(state: TaskState, input: TaskInput): Acceptance {
  return isCallResult(input) && keepsCalls(state) ? 'keep' : 'ignore';
}

/** The task has failed with calls whose outcome is kept. */
export function keepsCalls(state: TaskState): state is FailedState & { readonly saved: ResumablePosition } {
  const hasFailed = state.phase === 'failed' || state.phase === 'intervention';
  return hasFailed && state.saved !== null && state.saved.kind !== 'finished';
}
