import { DurationSchema } from '../../graph/schema/index.ts';
import { DURATION_PATTERN } from '../../graph/values/index.ts';
import { AnyJson, GivenJson, PageQuery, Time, pageOf } from './common.ts';
import { z } from './zod.ts';

const MAX_NAME = 255;

const MemoryName = z
  .string()
  .max(MAX_NAME)
  .regex(/^[^\p{Cc}]+$/u, `A text of 1 to ${MAX_NAME} characters without control characters is expected here`)
  // The same pattern without flags, as in the description.
  .openapi({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$' });

export const Namespace = z.object({
  namespace: MemoryName.openapi({ description: 'A group of entries, such as `users`' }),
});
export const NamespaceAndKey = Namespace.extend({
  key: MemoryName.openapi({ description: 'The name of the entry in it' }),
});

export const MemoryQuery = PageQuery.extend({
  prefix: z.string().max(MAX_NAME).default('').openapi({ description: 'Only entries whose keys begin with this' }),
  query: z.string().min(1).max(1_000).optional().openapi({
    description:
      'Only entries with these words in their key or value, or with a model of embeddings of like meaning, the best first; `"…"`, `or` and `-` as in a search engine. One page, which no other follows',
  }),
});

const MEMORY_EXAMPLE = {
  namespace: 'customers',
  key: 'ann@example.com',
  value: { language: 'de', likes: ['short answers'] },
  createdAt: '2026-11-24T09:05:00.000Z',
  updatedAt: '2026-11-24T09:05:00.000Z',
  expiresAt: null,
  by: 'uma',
  runId: null,
};

export const NewMemorySchema = z
  .strictObject({
    value: AnyJson,
    ttl: DurationSchema.optional().openapi({
      pattern: DURATION_PATTERN,
      description: 'The time after which the entry is gone; without it, it stays',
    }),
  })
  .openapi('NewMemory', { example: { value: MEMORY_EXAMPLE.value, ttl: '90d' } });

export const MemorySchema = z
  .object({
    namespace: z.string(),
    key: z.string(),
    value: GivenJson,
    createdAt: Time,
    updatedAt: Time,
    expiresAt: Time.nullable(),
    by: z.string(),
    runId: z.string().nullable(),
  })
  .openapi('Memory', { example: MEMORY_EXAMPLE });

export const MemoryListSchema = pageOf('MemoryList', MemorySchema, MEMORY_EXAMPLE);
