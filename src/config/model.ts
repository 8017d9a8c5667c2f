import { z } from 'zod';
import { PROVIDER_NAMES } from '../activities/model-providers.ts';
import type { OwnGenerate } from '../activities/models/model.ts';
import { callFields, code, readAs, SecretOrText, ADDRESS_PROBLEM, hasAddress } from './fields.ts';
import type { CallSettingsInput } from './fields.ts';

const modelFields = {
  ...callFields,
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
  contextWindow: z.int().min(1).optional(),
  tokenCounter: z.string().optional(),
};

const ProviderModel = z
  .strictObject({
    ...modelFields,
    provider: z.enum(PROVIDER_NAMES),
    model: z.string().min(1),
    baseUrl: z.url().optional(),
    apiKey: SecretOrText.optional(),
    stream: z.boolean().default(true),
  })
  .refine(hasAddress, ADDRESS_PROBLEM);

const OwnModel = z.strictObject({ ...modelFields, generate: code<OwnGenerate>() });

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
  /** The protocol of its API. */
  provider: ProviderModelFields['provider'];
  /** The provider's name of the model. */
  model: ProviderModelFields['model'];
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

/** A model of a provider, or one whose work is code. */
export const Model = readAs<ModelConfig>((value) => ('generate' in value ? OwnModel : ProviderModel));
