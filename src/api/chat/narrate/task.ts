import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { parseCallKey, taskKey } from '../../../graph/run/index.ts';

/** The fields of an event that say which node task it is about. */
export interface TaskOfEvent {
  readonly node: string;
  readonly visit: number;
  readonly index?: number;
  readonly path?: RunEvent['path'];
}

/** @returns `null` for an event of no task */
export function taskOf(event: RunEvent): TaskOfEvent | null {
  return 'visit' in event ? event : null;
}

/** True if a call belongs to a task. Of the elements of a list, the call's key names which it is. */
export function sameTask(call: Pick<ModelDelta, 'node' | 'visit' | 'path' | 'callKey'>, task: TaskOfEvent): boolean {
  const { node, visit, path = [], index } = task;
  return (
    call.node === node &&
    call.visit === visit &&
    (call.path ?? []).join('/') === path.join('/') &&
    (index === undefined || parseCallKey(call.callKey)?.task === taskKey(node, index))
  );
}

/** A text that is equal for events of one task. */
export function keyOfTask({ node, visit, index, path = [] }: TaskOfEvent): string {
  return JSON.stringify([path, node, visit, index ?? null]);
}
