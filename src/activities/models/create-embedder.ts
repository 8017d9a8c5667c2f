import type { TimerOptions } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { EmbeddingModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { TextsRefusedError, VectorsUnusableError } from '../../store/memory/embedder.ts';
import type { Embedder, EmbeddingVector } from '../../store/memory/embedder.ts';
import { modelAttributes, GEN_AI } from '../../telemetry/traces/names.ts';
import { inSpanBelow } from '../../telemetry/traces/in-span.ts';
import type { SpanStart } from '../../telemetry/traces/in-span.ts';
import { CallError } from '../calls/call-error.ts';
import type { GuardedFetch } from '../../network/guarded-request.ts';
import { PROVIDER_URLS } from '../model-providers.ts';
import type { EmbeddingProviderName } from '../model-providers.ts';
import { openTransport } from './open-transport.ts';
import { toCallError } from './to-call-error.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretReference, SecretResolver } from '../secrets.ts';
import { embedderName } from './embedder-name.ts';
import type { Access } from './providers.ts';

/** A configured embedding model. */
export interface EmbeddingSettings {
  readonly provider: EmbeddingProviderName;
  /** The provider's name of the model. */
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | SecretReference | undefined;
  /** The length of its vectors. */
  readonly dimensions: number;
  readonly minSimilarity: number;
  /** The time limit of a request, including one retry. */
  readonly timeoutMs: number;
}

/** Waits, and rejects when the signal aborts. */
export type Sleep = (ms: number, value: null, options: Pick<TimerOptions, 'signal'>) => Promise<unknown>;

interface EmbedderDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
  /** Counts the tokens that the provider charges. */
  readonly count: (tokens: number) => void;
  /** The default is that of Node. */
  readonly sleep?: Sleep;
}

const MAX_ATTEMPTS = 2;
const PAUSE_MS = 200;
/** Statuses that mean that the input is at fault. */
const REFUSALS: ReadonlySet<number | null> = new Set([400, 413, 422]);

/** Creates an embedder that uses a configured model through its provider's adapter. */
export function createEmbedder(settings: EmbeddingSettings, deps: EmbedderDeps): Embedder {
  const { minSimilarity, timeoutMs } = settings;
  const sleep: Sleep = deps.sleep ?? setTimeout;
  const ask = createAsk(settings, deps);
  const start = (): SpanStart => describeRequest(settings);
  return {
    name: embedderName(settings),
    minSimilarity,
    async embed(texts) {
      const signal = AbortSignal.timeout(timeoutMs);
      for (let attempt = 1; ; attempt++)
        try {
          return await inSpanBelow(start, { work: async () => await ask(texts, signal), failureOf });
        } catch (error) {
          const isLast = attempt === MAX_ATTEMPTS || signal.aborted;
          if (isLast || !(error instanceof CallError && error.retryable)) throw error;
          await sleep(Math.min(error.retryAfterMs ?? PAUSE_MS, timeoutMs), null, { signal }).catch(() => {
            throw error;
          });
        }
    },
  };
}

function describeRequest({ model, dimensions, ...settings }: EmbeddingSettings): SpanStart {
  const baseUrl = baseUrlOf(settings);
  return {
    name: `embeddings ${model}`,
    kind: 'client',
    attributes: {
      [GEN_AI.operation]: 'embeddings',
      [GEN_AI.dimensions]: dimensions,
      ...modelAttributes({ provider: settings.provider, model, baseUrl }),
    },
  };
}

const failureOf = (error: unknown): string => (error instanceof CallError ? error.code : 'MODEL_FAILED');

function baseUrlOf({ provider, baseUrl }: Pick<EmbeddingSettings, 'provider' | 'baseUrl'>): string {
  return baseUrl ?? PROVIDER_URLS[provider] ?? '';
}

type Ask = (texts: readonly string[], signal: AbortSignal) => Promise<readonly EmbeddingVector[]>;

function createAsk(settings: EmbeddingSettings, { fetch, secrets, count }: EmbedderDeps): Ask {
  const { provider, model, dimensions } = settings;
  const baseURL = baseUrlOf(settings);
  const { open, options } = embeddingProviders[provider];
  return async (texts, abortSignal) => {
    const used = useSecrets(secrets, 'MODEL_FAILED');
    const apiKey = await used.resolve(settings.apiKey ?? '');
    const transport = openTransport(fetch, null);
    try {
      const adapter = open({ model, apiKey, baseURL, fetch: transport.fetch });
      const answer = await adapter.doEmbed({ values: [...texts], providerOptions: options(dimensions), abortSignal });
      count(answer.usage?.tokens ?? 0);
      return requireVectors(answer.embeddings, settings, texts.length);
    } catch (thrown) {
      if (thrown instanceof VectorsUnusableError) throw thrown;
      const error = toCallError({ model, thrown, status: transport.lastStatus() });
      const message = used.redactMessage(error.message);
      throw REFUSALS.has(transport.lastStatus()) ? new TextsRefusedError(message) : error.withMessage(message);
    }
  };
}

/**
 * @param texts the number of texts
 * @throws VectorsUnusableError unless there is a vector of the right length for each
 */
function requireVectors(
  vectors: readonly EmbeddingVector[],
  { model, dimensions }: EmbeddingSettings,
  texts: number,
): readonly EmbeddingVector[] {
  const lengths = new Set(vectors.map(({ length }) => length));
  const isWhole = vectors.length === texts && vectors.every((vector) => vector.every(Number.isFinite));
  if (isWhole && lengths.size === 1 && lengths.has(dimensions)) return vectors;
  const found = isWhole ? `vectors of ${[...lengths].join(' and ')} numbers` : 'something else';
  const expected = `${texts} vectors of ${dimensions} numbers, as is configured`;
  throw new VectorsUnusableError(`${model} answered ${found} in place of ${expected}`);
}

interface EmbeddingProvider {
  readonly open: (access: Access) => EmbeddingModelV3;
  /** Options that request vectors of a given length, where the provider supports it. */
  readonly options: (dimensions: number) => SharedV3ProviderOptions;
}

/** An AI SDK adapter for each provider of embeddings. */
const embeddingProviders: Readonly<Record<EmbeddingProviderName, EmbeddingProvider>> = {
  openai: {
    open: ({ model, ...access }) => createOpenAI(access).embeddingModel(model),
    options: (dimensions) => ({ openai: { dimensions } }),
  },
  google: {
    open: ({ model, ...access }) => createGoogleGenerativeAI(access).embeddingModel(model),
    options: (outputDimensionality) => ({ google: { outputDimensionality } }),
  },
  'openai-compatible': {
    open: ({ model, ...access }) =>
      createOpenAICompatible({ ...access, name: 'openai-compatible' }).embeddingModel(model),
    // Many servers refuse the option for models with one length.
    options: () => ({}),
  },
};
