import type { TaskPath } from '../run/ids.ts';
import type { OpenTimer, Run } from '../run/run.ts';
import { own } from '../values/json.ts';
import { IdsByTask } from './ids-by-task.ts';

/** The running timers of a draft, by id and by task. */
export class DraftTimers {
  readonly byId: Record<string, OpenTimer>;
  /** Made at the first use. */
  #byTask: IdsByTask | null = null;

  constructor(timers: Run['timers']) {
    this.byId = { ...timers };
  }

  add(id: string, timer: OpenTimer): void {
    this.byId[id] = timer;
    this.#byTask?.add(id, timer.taskPath);
  }

  /** Removes a timer; `undefined` if it has fired or was canceled. @param fireAt of the timer, unless any is meant */
  take(id: string, fireAt?: number): OpenTimer | undefined {
    const timer = own(this.byId, id);
    if (!timer || (fireAt ?? timer.fireAt) !== timer.fireAt) return undefined;
    delete this.byId[id];
    this.#byTask?.delete(id, timer.taskPath);
    return timer;
  }

  /** Returns the ids of the timers of the task at a path and of the tasks inside it, in the order of their starts. */
  within(path: TaskPath): readonly string[] {
    this.#byTask ??= new IdsByTask(Object.entries(this.byId).map(([id, { taskPath }]) => [id, taskPath]));
    return this.#byTask.within(path);
  }
}
