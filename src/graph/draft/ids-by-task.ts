import type { TaskPath } from '../run/ids.ts';

/**
 * Ids of what tasks wait for, by the task and by each task around it, in the order in which they were added. So what one
 * task waits for is found without a look at what all others wait for.
 */
export class IdsByTask {
  readonly #ids = new Map<string, Set<string>>();

  constructor(waiting: Iterable<readonly [id: string, path: TaskPath]>) {
    for (const [id, path] of waiting) this.add(id, path);
  }

  add(id: string, path: TaskPath): void {
    for (const task of tasksAround(path)) {
      const ids = this.#ids.get(task);
      if (ids) ids.add(id);
      else this.#ids.set(task, new Set([id]));
    }
  }

  delete(id: string, path: TaskPath): void {
    for (const task of tasksAround(path)) this.#ids.get(task)?.delete(id);
  }

  /** Returns the ids of the task at a path and of the tasks inside it. */
  within(path: TaskPath): readonly string[] {
    return [...(this.#ids.get(path.join('/')) ?? [])];
  }
}

function tasksAround(path: TaskPath): readonly string[] {
  return path.map((_key, depth) => path.slice(0, depth + 1).join('/'));
}
