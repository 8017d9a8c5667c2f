import { z } from 'zod';
import { EMBEDDING_PROVIDER_NAMES } from '../activities/model-providers.ts';
import { TimeSpan } from '../graph/schema/index.ts';
import { SecretOrText, forTimer, ADDRESS_PROBLEM, hasAddress } from './fields.ts';

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
    timeout: forTimer(TimeSpan).default('5s'),
    /** USD per million tokens. */
    price: z.strictObject({ input: z.number().min(0) }).optional(),
  })
  .refine(hasAddress, ADDRESS_PROBLEM);

export const Memory = z.strictObject({ embeddings: Embeddings.optional() });

export type EmbeddingsInput = z.input<typeof Embeddings>;
