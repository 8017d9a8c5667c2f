import { isTaskEvent, taskKey } from '../history/run-event.ts';
import type { RunEvent, TaskEvent } from '../history/run-event.ts';

/** One execution of a node, and what the history says of it. */
export interface NodeTask {
  readonly key: string;
  readonly visit: number;
  readonly index: number | null;
  readonly events: readonly TaskEvent[];
}

interface Named {
  readonly path: readonly string[];
  readonly node: string;
}

/** Gathers the executions of a node, the latest first. */
export function tasksOf(events: readonly RunEvent[], { path, node }: Named): readonly NodeTask[] {
  const around = path.join('/');
  const tasks = new Map<string, NodeTask & { readonly events: TaskEvent[] }>();
  for (const event of events) {
    if (!isTaskEvent(event) || event.node !== node || (event.path ?? []).join('/') !== around) continue;
    const key = taskKey(event);
    const task = tasks.get(key) ?? { key, visit: event.visit, index: event.index ?? null, events: [] };
    task.events.push(event);
    tasks.set(key, task);
  }
  return [...tasks.values()].sort((one, other) => other.visit - one.visit || (one.index ?? 0) - (other.index ?? 0));
}
