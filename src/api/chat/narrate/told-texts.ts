import type { ModelDelta } from '../../../graph/journal/index.ts';
import type { Chunk } from './chunk.ts';
import { sameTask } from './task.ts';
import type { TaskOfEvent } from './task.ts';

/** The answer of one call. */
interface Told {
  /** The call; `null`: the text comes from no model. */
  readonly call: Pick<ModelDelta, 'node' | 'path' | 'visit' | 'callKey'> | null;
  /** The text on the client's side that can take more; `null`: none. */
  openId: string | null;
  /** What the client has. */
  shown: string;
  attempt: number;
  /** What this attempt has said; `null` if a piece is missing. */
  said: string | null;
  nextIndex: number;
  isSettled: boolean;
}

/** The texts of an answer, as the client of a stream has seen them. */
export class ToldTexts {
  readonly #byCall = new Map<string, Told>();
  #opened = 0;

  /** Shows a piece of a text. Where pieces are missing before it, the text waits until all of it is known. */
  say(delta: ModelDelta): readonly Chunk[] {
    const told = this.#byCall.get(delta.callKey) ?? aText(delta);
    this.#byCall.set(delta.callKey, told);
    if (told.isSettled || !take(told, delta) || told.said === null) return [];
    return this.#show(told, told.said);
  }

  /** Shows what is missing of the texts that a task has written in the end, and ends them. */
  settle(task: TaskOfEvent, texts: readonly string[]): readonly Chunk[] {
    const ofTask = this.#of(task);
    const settled = texts.flatMap((text) => {
      const told = ofTask.find(({ shown, isSettled }) => !isSettled && text.startsWith(shown)) ?? aText(null);
      told.isSettled = true;
      return [...this.#show(told, text), ...end(told)];
    });
    for (const told of ofTask) told.isSettled = true;
    return [...settled, ...ofTask.flatMap(end)];
  }

  /** Ends the texts of a task for now, or of all tasks. */
  close(task?: TaskOfEvent): readonly Chunk[] {
    return (task ? this.#of(task) : [...this.#byCall.values()]).flatMap(end);
  }

  #of(task: TaskOfEvent): readonly Told[] {
    return [...this.#byCall.values()].filter(({ call }) => call !== null && sameTask(call, task));
  }

  /** Shows a text that may have been shown in part. A client can't take back what it has: another text comes below. */
  #show(told: Told, text: string): readonly Chunk[] {
    if (told.shown.startsWith(text)) return [];
    const continues = text.startsWith(told.shown);
    const delta = continues ? text.slice(told.shown.length) : text;
    const before = continues ? [] : end(told);
    told.shown = text;
    if (told.openId !== null) return [{ type: 'text-delta', id: told.openId, delta }];
    const id = `text-${++this.#opened}`;
    told.openId = id;
    return [...before, { type: 'text-start', id }, { type: 'text-delta', id, delta }];
  }
}

function aText(call: Told['call']): Told {
  return { call, openId: null, shown: '', attempt: 0, said: '', nextIndex: 0, isSettled: false };
}

function end(told: Told): readonly Chunk[] {
  const { openId: id } = told;
  told.openId = null;
  return id === null ? [] : [{ type: 'text-end', id }];
}

/** @returns false for a piece of an attempt that another one has replaced */
function take(told: Told, { attempt, index, text }: ModelDelta): boolean {
  if (attempt < told.attempt) return false;
  if (attempt > told.attempt) Object.assign(told, { attempt, said: '', nextIndex: 0 });
  told.said = told.said === null || index !== told.nextIndex ? null : told.said + text;
  told.nextIndex = index + 1;
  return true;
}
