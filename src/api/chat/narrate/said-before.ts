import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';

/** A call of a model that is over, with the text of its answer. */
interface SaidText {
  readonly key: string;
  readonly text: string;
}

type ModelCalled = Extract<RunEvent, { readonly type: 'model.called' }>;

/** What models of a run's own graph said before somebody listened: the recorded answers. */
export class SaidBefore {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: readonly SaidText[]) {
    this.#texts = new Map(texts.map(({ key, text }) => [key, text]));
  }

  /** @returns the answer that an event is about; `null`: it is not known, or has no text */
  about({ node, visit, path, idempotencyKey: callKey }: ModelCalled): ModelDelta | null {
    const text = this.#texts.get(callKey) ?? '';
    if (path !== undefined || text === '') return null;
    return { node, visit, attempt: LAST_ATTEMPT, callKey, index: 0, text };
  }
}

/** What is recorded replaces all attempts. */
const LAST_ATTEMPT = Number.MAX_SAFE_INTEGER;
