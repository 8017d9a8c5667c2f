import { mapValues, own } from '../../graph/values/index.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { loadOpenAiCounter } from './openai-counter.ts';
import type { TokenCounter } from './estimate-tokens.ts';

/** How much a model takes, and how that is counted. */
export interface ModelMeasure {
  /** Tokens of a request and its answer together, if they are known. */
  readonly contextWindow: number | null;
  /** Loaded by the first request that is counted: a tokenizer is some megabytes. */
  readonly loadCounter: () => Promise<TokenCounter>;
}

/** What the configuration says of a model that bears on its measure. */
interface MeasuredModel {
  readonly provider?: string;
  readonly model?: string;
  readonly contextWindow?: number | undefined;
  readonly tokenCounter?: string | undefined;
}

/** What a model is measured by of which nothing is known. */
export const UNKNOWN_MEASURE: ModelMeasure = { contextWindow: null, loadCounter: async () => estimateTokens };

/** The measures of configured models: the counter that each names, else the tokenizer of OpenAI or an estimate. */
export function measureModels(
  models: Readonly<Record<string, MeasuredModel>>,
  counters: Readonly<Record<string, TokenCounter>>,
): Readonly<Record<string, ModelMeasure>> {
  return mapValues(models, ({ provider, model = '', contextWindow = null, tokenCounter = '' }) => {
    const named = own(counters, tokenCounter);
    if (named) return { contextWindow, loadCounter: async () => named };
    const isOpenAi = provider === 'openai';
    return {
      contextWindow,
      loadCounter: isOpenAi ? async () => await loadOpenAiCounter(model) : UNKNOWN_MEASURE.loadCounter,
    };
  });
}
