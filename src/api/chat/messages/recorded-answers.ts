import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';

/** A call of a model that is over, with the text of its answer. */
interface RecordedAnswer {
  readonly key: string;
  readonly text: string;
}

type ModelCalled = Extract<RunEvent, { readonly type: 'model.called' }>;

/** The recorded answers of models of a run's own graph, for readers who come later. */
export class RecordedAnswers {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: readonly RecordedAnswer[]) {
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
