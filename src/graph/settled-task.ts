import type { NodeTask, TaskState } from './scope.ts';

/** A task that is over, and has not failed. */
export type SettledTask = NodeTask & { readonly state: TaskState & { readonly phase: 'completed' | 'diverted' } };

export function isSettled(task: NodeTask): task is SettledTask {
  return task.state.phase === 'completed' || task.state.phase === 'diverted';
}
