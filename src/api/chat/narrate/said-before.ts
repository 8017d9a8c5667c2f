import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';

/** A call of a model that is over, with the text of its answer. */
interface SaidText {
  readonly key: string;
  readonly text: string;
}

type ModelCalled = Extract<RunEvent, { readonly type: 'model.called' }>;

/** A call by the parts of its key. */
interface Call extends SaidText {
  readonly task: string;
  readonly order: readonly [round: number, number: number];
}

/** What models of a run's own graph said before somebody listened: the recorded answers, in the order of their events. */
export class SaidBefore {
  readonly #byTask = new Map<string, Call[]>();

  constructor(texts: readonly SaidText[]) {
    for (const call of texts.map(toCall).toSorted(inOrder)) {
      const ofTask = this.#byTask.get(call.task) ?? [];
      ofTask.push(call);
      this.#byTask.set(call.task, ofTask);
    }
  }

  /** Takes the answer that an event is about. @returns `null` if it is not known, or has no text */
  take({ node, visit, index, path }: ModelCalled): ModelDelta | null {
    if (path !== undefined) return null;
    const task = index === undefined ? node : `${node}#${index}`;
    const call = this.#byTask.get(`${task}:${visit}`)?.shift();
    if (!call || call.text === '') return null;
    return { node, visit, attempt: LAST_ATTEMPT, callKey: call.key, index: 0, text: call.text };
  }
}

/** What is recorded replaces all attempts. */
const LAST_ATTEMPT = Number.MAX_SAFE_INTEGER;

/** A key holds the run, the task, the visit of its node, the number of the call, and the retry round (`callKey`). */
function toCall({ key, text }: SaidText): Call {
  const [, task = '', visit = '', number, round] = key.split(':');
  return { key, text, task: `${task}:${visit}`, order: [Number(round), Number(number)] };
}

function inOrder({ order: [round, number] }: Call, { order: [otherRound, otherNumber] }: Call): number {
  return round - otherRound || number - otherNumber;
}
