import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';
import { parseCallKey, taskKey } from '../../../graph/run/index.ts';

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
    for (const call of texts.flatMap(callOf).toSorted(inOrder)) {
      const ofTask = this.#byTask.get(call.task) ?? [];
      ofTask.push(call);
      this.#byTask.set(call.task, ofTask);
    }
  }

  /** Takes the answer that an event is about. @returns `null` if it is not known, or has no text */
  take({ node, visit, index, path }: ModelCalled): ModelDelta | null {
    if (path !== undefined) return null;
    const call = this.#byTask.get(`${taskKey(node, index)}:${visit}`)?.shift();
    if (!call || call.text === '') return null;
    return { node, visit, attempt: LAST_ATTEMPT, callKey: call.key, index: 0, text: call.text };
  }
}

/** What is recorded replaces all attempts. */
const LAST_ATTEMPT = Number.MAX_SAFE_INTEGER;

/** Keys of other forms belong to no task that answers. */
function callOf({ key, text }: SaidText): readonly Call[] {
  const position = parseCallKey(key);
  if (!position) return [];
  const { task, visit, number, retryRound } = position;
  return [{ key, text, task: `${task}:${visit}`, order: [retryRound, number] }];
}

function inOrder({ order: [round, number] }: Call, { order: [otherRound, otherNumber] }: Call): number {
  return round - otherRound || number - otherNumber;
}
