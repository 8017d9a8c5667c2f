import type { ModelDelta, RunEvent } from '../../../graph/journal/index.ts';

/** A completed model call with the text of its answer. */
interface RecordedAnswer {
  readonly key: string;
  readonly text: string;
}

type ModelCalled = Extract<RunEvent, { readonly type: 'model.called' }>;

/** Collects the recorded answers of models in the root graph, for readers who subscribe after they were streamed. */
export class RecordedAnswers {
  readonly #texts: ReadonlyMap<string, string>;

  constructor(texts: readonly RecordedAnswer[]) {
    this.#texts = new Map(texts.map(({ key, text }) => [key, text]));
  }

  /** @returns the answer that the event reports; `null` when it is not known or has no text */
  about({ node, visit, path, idempotencyKey: callKey }: ModelCalled): ModelDelta | null {
    const text = this.#texts.get(callKey) ?? '';
    if (path !== undefined || text === '') return null;
    return { node, visit, attempt: LAST_ATTEMPT, callKey, index: 0, text };
  }
}

/** A recorded answer replaces the deltas of all attempts. */
const LAST_ATTEMPT = Number.MAX_SAFE_INTEGER;
