import { z } from 'zod';
import { EMBEDDING_PROVIDER_NAMES } from '../activities/model-providers.ts';
import { TimeSpan } from '../graph/schema/index.ts';
import { SecretOrText } from './fields.ts';
import { ADDRESS_PROBLEM, hasAddress } from './has-address.ts';

/** The longest vector that pgvector keeps. */
const MAX_DIMENSIONS = 16_000;

/** The model by whose vectors memory is searched. */
const Embeddings = z
  .strictObject({
    provider: z.enum(EMBEDDING_PROVIDER_NAMES),
    model: z.string().min(1),
    baseUrl: z.url().optional(),
    apiKey: SecretOrText.optional(),
    dimensions: z.int().min(1).max(MAX_DIMENSIONS),
    minSimilarity: z.number().min(-1).max(1).default(0),
    timeout: TimeSpan.default('5s'),
    /** USD per million tokens. */
    price: z.strictObject({ input: z.number().min(0) }).optional(),
  })
  .refine(hasAddress, ADDRESS_PROBLEM);

export const Memory = z.strictObject({ embeddings: Embeddings.optional() });

export type EmbeddingsInput = z.input<typeof Embeddings>;
