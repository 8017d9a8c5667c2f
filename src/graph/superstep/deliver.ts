import type { TaskHandle } from '../draft/frames.ts';
import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import type { NodePosition, TaskState } from '../run/scope.ts';
import { isEnding } from '../run/status.ts';
import { awaitsResult, batchOf, failingAt } from '../run/task-position.ts';
import { hasResumableProgress } from '../run/task-state.ts';
import { isUnknownOutcome } from '../values/errors.ts';
import { saveLateResult, takeLastResult } from './late-results.ts';
import { resumeTask } from './run-task.ts';

/** The use of an input: the task resumes with it, only saves it for a retry, ends after the last one, or ignores it. */
type Acceptance = keyof typeof USES;

const USES = { resume: resumeTask, save: saveLateResult, end: takeLastResult, ignore: () => undefined };

/** Delivers an input to a task, which a task that is gone ignores. @returns the use that the task has made of it */
export function deliver(handle: TaskHandle | null, input: TaskInput): Acceptance {
  if (!handle) return 'ignore';
  const { state } = handle.task;
  const isFailing = state.phase === 'open' && failingAt(state.position) !== null;
  const when = isFailing || isAboutToEnd(handle) ? 'ending' : 'working';
  const use = isStale(state, input) ? 'ignore' : ruleFor(state, when)(input);
  USES[use](handle, input);
  return use;
}

/** True for the result of a call that an open task does not wait for, such as a call of an earlier visit. */
function isStale(state: TaskState, input: TaskInput): boolean {
  if (state.phase !== 'open' || state.position.kind === 'failing' || !isCallResult(input)) return false;
  return !awaitsResult(state.position, input.key);
}

type Rule<P extends TaskState['phase']> = (state: TaskState & { readonly phase: P }, input: TaskInput) => Acceptance;

/** The rules by the task's phase. `ending` applies while the run, or an enclosing node, waits for its last calls. */
const RULES: { readonly [P in TaskState['phase']]: { readonly working: Rule<P>; readonly ending: Rule<P> } } = {
  ready: { working: () => 'ignore', ending: () => 'ignore' },
  open: {
    working: () => 'resume',
    ending: ({ position }, input) => acceptWhileEnding(position, input),
  },
  intervention: { working: acceptAfterFailure, ending: acceptAfterFailure },
  failed: { working: acceptAfterFailure, ending: acceptAfterFailure },
  completed: { working: () => 'ignore', ending: () => 'ignore' },
  diverted: { working: () => 'ignore', ending: () => 'ignore' },
};

function ruleFor<P extends TaskState['phase']>(
  state: TaskState & { readonly phase: P },
  when: 'working' | 'ending',
): (input: TaskInput) => Acceptance {
  const rule: Rule<P> = RULES[state.phase][when];
  return (input) => rule(state, input);
}

/** True if the run, or an enclosing node, has failed or is canceled, and waits for its open calls. */
export function isAboutToEnd({ draft, frame }: TaskHandle): boolean {
  return isEnding(draft.run) || frame.isFailing;
}

/**
 * An ending task takes results of a tool batch. Of a single call it takes only an unknown outcome, because a person
 * must settle it. A task that has failed itself ends after its last result.
 */
function acceptWhileEnding(position: NodePosition, input: TaskInput): Acceptance {
  if (position.kind === 'failing') return 'end';
  return countsWhileEnding(input) && (input.kind === 'call.failed' || batchOf(position).length > 0)
    ? 'resume'
    : 'ignore';
}

function acceptAfterFailure(state: TaskState, input: TaskInput): Acceptance {
  return countsWhileEnding(input) && hasResumableProgress(state) ? 'save' : 'ignore';
}

/** True for a reply and for an unknown outcome of a call. These count even where nothing new may begin. */
function countsWhileEnding(input: TaskInput): boolean {
  return input.kind === 'call.failed' ? isUnknownOutcome(input.failure.error) : input.kind === 'call.completed';
}
