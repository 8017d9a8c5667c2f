import type { TaskHandle } from '../draft/frames.ts';
import { isCallResult } from '../nodes/behavior.ts';
import type { TaskInput } from '../nodes/behavior.ts';
import { batchOf, failingAt, hasResumableProgress } from '../run/position.ts';
import type { TaskState } from '../run/scope.ts';
import { isEnding } from '../run/status.ts';
import { resumeTask, saveLateResult } from './run-task.ts';

/** The use of an input: the task resumes with it, only saves it for a retry, or ignores it. */
type Acceptance = keyof typeof USES;

const USES = { resume: resumeTask, save: saveLateResult, ignore: () => undefined };

/** Delivers an input to a task, which a task that is gone ignores. @returns the use that the task has made of it */
export function deliver(handle: TaskHandle | null, input: TaskInput): Acceptance {
  if (!handle) return 'ignore';
  const { state } = handle.task;
  const isFailing = state.phase === 'open' && failingAt(state.position) !== null;
  const use = ruleFor(state, isFailing || isAboutToEnd(handle) ? 'ending' : 'working')(input);
  USES[use](handle, input);
  return use;
}

type Rule<P extends TaskState['phase']> = (state: TaskState & { readonly phase: P }, input: TaskInput) => Acceptance;

/** The rules by the task's phase. `ending` applies while the run, or an enclosing node, waits for its last calls. */
const RULES: { readonly [P in TaskState['phase']]: { readonly working: Rule<P>; readonly ending: Rule<P> } } = {
  ready: { working: () => 'ignore', ending: () => 'ignore' },
  open: {
    working: () => 'resume',
    ending: ({ position }, input) => acceptWhileEnding(batchOf(position).length, input),
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
 * must settle it.
 */
function acceptWhileEnding(batchSize: number, input: TaskInput): Acceptance {
  return isCallResult(input) && (input.kind === 'call.failed' || batchSize > 0) ? 'resume' : 'ignore';
}

function acceptAfterFailure(state: TaskState, input: TaskInput): Acceptance {
  return isCallResult(input) && hasResumableProgress(state) ? 'save' : 'ignore';
}
