import { mapValues, own } from '../../graph/values/index.ts';
import type { ProviderName } from '../model-providers.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { loadOpenAiCounter } from './openai-counter.ts';
import type { TokenCounter } from './estimate-tokens.ts';

/** The token limit of a model and its counter. */
export interface ModelMeasure {
  /** Tokens of a request and its answer together; `null` if unknown. */
  readonly contextWindow: number | null;
  /** Loads the counter at its first use: a tokenizer takes some megabytes. */
  readonly loadCounter: () => Promise<TokenCounter>;
}

/** The fields of a configured model that its measure depends on. */
interface MeasuredModel {
  readonly provider?: ProviderName;
  readonly model?: string;
  readonly contextWindow?: number | undefined;
  readonly tokenCounter?: string | undefined;
}

/** The measure of a model that is not configured. */
export const UNKNOWN_MEASURE: ModelMeasure = { contextWindow: null, loadCounter: async () => estimateTokens };

/** Loads the counter for a model of a provider. */
const COUNTERS: Readonly<Record<ProviderName, (model: string) => Promise<TokenCounter>>> = {
  openai: loadOpenAiCounter,
  'openai-compatible': UNKNOWN_MEASURE.loadCounter,
  anthropic: UNKNOWN_MEASURE.loadCounter,
  google: UNKNOWN_MEASURE.loadCounter,
};

/**
 * Measures of configured models. Counters: the one that a model names, else OpenAI's tokenizer for its models, else an
 * estimate.
 */
export function measureModels(
  models: Readonly<Record<string, MeasuredModel>>,
  counters: Readonly<Record<string, TokenCounter>>,
): Readonly<Record<string, ModelMeasure>> {
  return mapValues(models, ({ provider, model = '', contextWindow = null, tokenCounter = '' }) => {
    const named = own(counters, tokenCounter);
    if (named) return { contextWindow, loadCounter: async () => named };
    const loadCounter = provider ? COUNTERS[provider] : UNKNOWN_MEASURE.loadCounter;
    return { contextWindow, loadCounter: async () => await loadCounter(model) };
  });
}
