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

type GivenModel = z.input<typeof ProviderModel>;

/** What configurations write of every model. */
interface AnyModelInput extends CallSettingsInput {
  /** `input` and `output`, in USD for a million tokens. Budgets in USD need it. */
  price?: GivenModel['price'];
  /** The most tokens of one request. */
  contextWindow?: GivenModel['contextWindow'];
  /** One of `tokenCounters`. */
  tokenCounter?: GivenModel['tokenCounter'];
}

interface ProviderModelInput extends AnyModelInput {
  /** The API that it speaks. */
  provider: GivenModel['provider'];
  /** The provider's name of the model. */
  model: GivenModel['model'];
  /** The address, for `openai-compatible` or a proxy. */
  baseUrl?: GivenModel['baseUrl'];
  /** The key, as `{ secret: 'NAME' }`. */
  apiKey?: GivenModel['apiKey'];
  /** False asks for whole answers. By default answers are read while they are written, if the server can. */
  stream?: GivenModel['stream'];
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
