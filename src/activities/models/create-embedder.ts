import type { TimerOptions } from 'node:timers';
import { setTimeout } from 'node:timers/promises';
import type { EmbeddingModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { TextsRefusedError, VectorsUnusableError } from '../../store/memory/embedder.ts';
import type { Embedder, EmbeddingVector } from '../../store/memory/embedder.ts';
import { modelAttributes, GEN_AI } from '../../telemetry/traces/names.ts';
import { inSpanBelow } from '../../telemetry/traces/in-span.ts';
import type { SpanStart } from '../../telemetry/traces/in-span.ts';
import { CallError } from '../calls/call-error.ts';
import type { GuardedFetch } from '../../network/guarded-request.ts';
import { PROVIDER_URLS, embedderName } from '../model-providers.ts';
import type { EmbeddingProviderName } from '../model-providers.ts';
import { openProviderTransport } from './open-transport.ts';
import { toModelCallError } from './to-call-error.ts';
import { useSecrets } from '../secrets.ts';
import type { SecretReference, SecretResolver } from '../secrets.ts';
import type { AdapterSettings } from './providers.ts';

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
export type SleepWithSignal = (ms: number, value: null, options: Pick<TimerOptions, 'signal'>) => Promise<unknown>;

interface EmbedderDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
  /** Counts the tokens that the provider charges. */
  readonly count: (tokens: number) => void;
  /** The default is that of Node. */
  readonly sleep?: SleepWithSignal;
}

const MAX_ATTEMPTS = 2;
const EMBEDDING_RETRY_PAUSE_MS = 200;
/** Statuses that mean that the input is at fault. */
const REFUSED_INPUT_STATUSES: ReadonlySet<number | null> = new Set([400, 413, 422]);

/** Creates an embedder that uses a configured model through its provider's adapter. */
export function createEmbedder(settings: EmbeddingSettings, deps: EmbedderDeps): Embedder {
  const { minSimilarity, timeoutMs } = settings;
  const sleep: SleepWithSignal = deps.sleep ?? setTimeout;
  const ask = createAsk(settings, deps);
  const start = (): SpanStart => embeddingSpan(settings);
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
          await sleep(Math.min(error.retryAfterMs ?? EMBEDDING_RETRY_PAUSE_MS, timeoutMs), null, { signal }).catch(
            () => {
              throw error;
            },
          );
        }
    },
  };
}

function embeddingSpan({ model, dimensions, ...settings }: EmbeddingSettings): SpanStart {
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

type RequestVectors = (texts: readonly string[], signal: AbortSignal) => Promise<readonly EmbeddingVector[]>;

function createAsk(settings: EmbeddingSettings, { fetch, secrets, count }: EmbedderDeps): RequestVectors {
  const { provider, model, dimensions } = settings;
  const baseURL = baseUrlOf(settings);
  const { open, options } = embeddingProviders[provider];
  return async (texts, abortSignal) => {
    const used = useSecrets(secrets, 'MODEL_FAILED');
    const apiKey = await used.resolve(settings.apiKey ?? '');
    const transport = openProviderTransport(fetch, null);
    try {
      const adapter = await open({ model, apiKey, baseURL, fetch: transport.fetch });
      const answer = await adapter.doEmbed({ values: [...texts], providerOptions: options(dimensions), abortSignal });
      count(answer.usage?.tokens ?? 0);
      return requireVectors(answer.embeddings, settings, texts.length);
    } catch (thrown) {
      if (thrown instanceof VectorsUnusableError) throw thrown;
      const error = toModelCallError({ model, thrown, status: transport.lastStatus() });
      const message = used.redactMessage(error.message);
      throw REFUSED_INPUT_STATUSES.has(transport.lastStatus())
        ? new TextsRefusedError(message)
        : error.withMessage(message);
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
  readonly open: (access: AdapterSettings) => Promise<EmbeddingModelV3>;
  /** Options that request vectors of a given length, where the provider supports it. */
  readonly options: (dimensions: number) => SharedV3ProviderOptions;
}

/** The AI SDK adapter of each provider of embeddings, an optional package (`PROVIDER_PACKAGES`). */
const embeddingProviders: Readonly<Record<EmbeddingProviderName, EmbeddingProvider>> = {
  openai: {
    async open({ model, ...access }) {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(access).embeddingModel(model);
    },
    options: (dimensions) => ({ openai: { dimensions } }),
  },
  google: {
    async open({ model, ...access }) {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI(access).embeddingModel(model);
    },
    options: (outputDimensionality) => ({ google: { outputDimensionality } }),
  },
  'openai-compatible': {
    async open({ model, ...access }) {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({ ...access, name: 'openai-compatible' }).embeddingModel(model);
    },
    // Many servers refuse the option for models with one length.
    options: () => ({}),
  },
};
