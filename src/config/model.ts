import { z } from 'zod';
import { PROVIDER_NAMES } from '../activities/model-providers.ts';
import type { OwnGenerate } from '../activities/models/model.ts';
import { callFields, code, readAs, SecretOrText } from './fields.ts';
import { ADDRESS_PROBLEM, hasAddress } from './has-address.ts';

const modelFields = {
  ...callFields,
  /** USD per million tokens. */
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).optional(),
  contextWindow: z.int().min(1).optional(),
  /** Names one of `tokenCounters`. */
  tokenCounter: z.string().optional(),
};

const ProviderModel = z
  .strictObject({
    ...modelFields,
    provider: z.enum(PROVIDER_NAMES),
    model: z.string().min(1),
    baseUrl: z.url().optional(),
    apiKey: SecretOrText.optional(),
    /** False to ask for the whole answer at once. */
    stream: z.boolean().default(true),
  })
  .refine(hasAddress, ADDRESS_PROBLEM);

const OwnModel = z.strictObject({ ...modelFields, generate: code<OwnGenerate>() });

export type ModelInput = z.input<typeof ProviderModel> | z.input<typeof OwnModel>;
export type ModelConfig = z.output<typeof ProviderModel> | z.output<typeof OwnModel>;

/** A model of a provider, or one whose work is code. */
export const Model = readAs<ModelConfig>((value) => ('generate' in value ? OwnModel : ProviderModel));
