import { z } from 'zod';
import { EMBEDDING_PROVIDER_NAMES, PROVIDER_NAMES, PROVIDER_URLS } from '../activities/model-providers.ts';
import type { ProviderName } from '../activities/model-providers.ts';
import type { OwnGenerate } from '../activities/models/model.ts';
import { TimeSpanSchema } from '../graph/schema/index.ts';
import { didYouMean } from '../graph/values/index.ts';
import { callFields, codeField, refuseLongDurations, parseBySchemaOf, SecretOrText } from './fields.ts';
import type { CallSettingsInput } from './fields.ts';
import { ADDRESS_FIELDS, MODEL_SERVICES, SERVICE_NAMES, isServiceName, serviceAddress } from './model-services.ts';
import type { ServiceName } from './model-services.ts';

/* The models that graphs ask, and the one whose embeddings find entries of the memory by meaning. */

/** The location of a model. */
interface ModelAddress {
  readonly provider: ProviderName;
  readonly baseUrl?: string | undefined;
}

/** True if the address of a model is known. */
function hasAddress({ provider, baseUrl }: ModelAddress): boolean {
  return baseUrl !== undefined || PROVIDER_URLS[provider] !== null;
}

interface ServiceFields extends Readonly<Record<keyof typeof ADDRESS_FIELDS, string | undefined>> {
  readonly baseUrl?: string | undefined;
}

/** Returns the address of a model of a service: `baseUrl`, or that of the service. */
function addressOfService(
  service: ServiceName,
  { baseUrl, resource, region }: ServiceFields,
  context: z.RefinementCtx,
): string {
  if (baseUrl !== undefined) return baseUrl;
  const found = serviceAddress(service, { resource, region });
  if ('address' in found) return found.address;
  for (const { field, message } of found.problems) context.addIssue({ code: 'custom', path: [field], message });
  return z.NEVER;
}

function unknownProvider(providers: readonly string[]): (issue: { readonly input?: unknown }) => string {
  const names = [...providers, ...SERVICE_NAMES];
  return ({ input }) =>
    input === undefined
      ? `is needed: one of ${names.join(', ')}`
      : `must be one of ${names.join(', ')}.${typeof input === 'string' ? didYouMean(input, names) : ''}`;
}

const ADDRESS_PROBLEM = {
  path: ['baseUrl'],
  error: 'must say where the provider is: this one has no address of its own',
};

const modelFields = {
  ...callFields,
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
  contextWindow: z.int().min(1).optional(),
  tokenCounter: z.string().optional(),
};

const providerFields = {
  ...modelFields,
  model: z.string().min(1),
  baseUrl: z.url().optional(),
  apiKey: SecretOrText.optional(),
  stream: z.boolean().default(true),
};

const ProviderModel = z
  .strictObject({ ...providerFields, provider: z.enum(PROVIDER_NAMES, { error: unknownProvider(PROVIDER_NAMES) }) })
  .refine(hasAddress, ADDRESS_PROBLEM);

const ServiceModel = z
  .strictObject({ ...providerFields, ...ADDRESS_FIELDS, provider: z.enum(SERVICE_NAMES) })
  .transform(({ provider, resource, region, ...fields }, context) => {
    const { protocol } = MODEL_SERVICES[provider];
    return {
      ...fields,
      provider: protocol,
      baseUrl: addressOfService(provider, { ...fields, resource, region }, context),
    };
  });

const OwnModel = z.strictObject({ ...modelFields, generate: codeField<OwnGenerate>() });

type ProviderModelFields = z.input<typeof ProviderModel>;

/** The fields of every model, as configurations write them. */
interface AnyModelInput extends CallSettingsInput {
  /** `input` and `output` in USD per million tokens. Budgets in USD require it. */
  price?: ProviderModelFields['price'];
  /** The maximum number of tokens of request and answer. */
  contextWindow?: ProviderModelFields['contextWindow'];
  /** The name of one of `tokenCounters`. */
  tokenCounter?: ProviderModelFields['tokenCounter'];
}

interface ProviderModelInput extends AnyModelInput {
  /** The provider, whose protocol its API speaks; or a service that speaks the protocol of one. */
  provider: ProviderModelFields['provider'] | ServiceName;
  /** The provider's name of the model; of `azure` the name of the deployment. */
  model: ProviderModelFields['model'];
  /** Of `azure`: the name of the resource. */
  resource?: string | undefined;
  /** Of `bedrock`: the region, such as `eu-central-1`. */
  region?: string | undefined;
  /** The address, for `openai-compatible` or a proxy. */
  baseUrl?: ProviderModelFields['baseUrl'];
  /** The key, as `{ secret: 'NAME' }`. */
  apiKey?: ProviderModelFields['apiKey'];
  /** False requests complete answers. By default answers are streamed if the server supports it. */
  stream?: ProviderModelFields['stream'];
}

interface OwnModelInput extends AnyModelInput {
  /** Answers a request: `{ text, toolCalls?, usage?, finishReason? }`. */
  generate: OwnGenerate;
}

/** A model, as configurations write it. */
export type ModelInput = ProviderModelInput | OwnModelInput;
export type ModelConfig = z.output<typeof ProviderModel> | z.output<typeof OwnModel>;

/** A model of a provider or a service, or one whose work is code. */
export const Model = parseBySchemaOf<ModelConfig>((value) => {
  if ('generate' in value) return OwnModel;
  return 'provider' in value && isServiceName(value.provider) ? ServiceModel : ProviderModel;
});

/** The maximum length of pgvector's vectors. */
const MAX_DIMENSIONS = 16_000;

/** The embedding model for searches in memory. */
const Embeddings = z
  .strictObject({
    /** The protocol of its API. */
    provider: z.enum(EMBEDDING_PROVIDER_NAMES),
    /** The provider's name of the model. */
    model: z.string().min(1),
    /** The address, for `openai-compatible` or a proxy. */
    baseUrl: z.url().optional(),
    /** The key, as `{ secret: 'NAME' }`. */
    apiKey: SecretOrText.optional(),
    /** The length of its vectors. */
    dimensions: z.int().min(1).max(MAX_DIMENSIONS),
    /** The minimum cosine similarity of entries found by meaning, from -1 to 1. */
    minSimilarity: z.number().min(-1).max(1).default(0),
    /** The time limit of a request; if it is exceeded, entries are found by words. */
    timeout: refuseLongDurations(TimeSpanSchema).default('5s'),
    /** USD per million tokens. */
    price: z.strictObject({ input: z.number().min(0) }).optional(),
  })
  .refine(hasAddress, ADDRESS_PROBLEM);

export const Memory = z.strictObject({ embeddings: Embeddings.optional() });

export type EmbeddingsInput = z.input<typeof Embeddings>;
