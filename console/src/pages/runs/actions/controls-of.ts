import type { Explanation } from 'holdfast/client';

/** What people do with a run as it stands. */
export type Control = 'pause' | 'resume' | 'cancel' | 'retry' | 'skip' | 'fail' | 'replan' | 'edit';

/** In the order in which they are shown. */
const CONTROLS: readonly Control[] = ['retry', 'skip', 'fail', 'resume', 'pause', 'replan', 'edit', 'cancel'];

/** The controls that a run takes now from the person, as the API says; an edit is for whenever nothing runs. */
export function controlsOf({ status, actions }: Pick<Explanation, 'status' | 'actions'>): readonly Control[] {
  const offered = new Set<string>(actions.flatMap(({ action, allowed }) => (allowed ? [action] : [])));
  if (status !== 'running' && status !== 'queued') offered.add('edit');
  return CONTROLS.filter((control) => offered.has(control));
}

/** What a control does to the run, in the words of the API; several, where it is for one of several failures. */
export function effectsOf({ actions }: Pick<Explanation, 'actions'>, control: Control): readonly string[] {
  return [...new Set(actions.flatMap(({ action, effect }) => (action === control ? [effect] : [])))];
}
