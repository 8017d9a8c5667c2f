import { z } from '@hono/zod-openapi';
import { GivenTime } from './common.ts';
import { RunStatusSchema } from './run.ts';

const METADATA_PAIR = /^[^:]+:/;

const MetadataPair = z
  .string()
  .regex(METADATA_PAIR, 'A field of the metadata is expected here, ":" and its value')
  .transform((pair): readonly [string, string] => {
    const end = pair.indexOf(':');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });

const STATUS = RunStatusSchema.options.join('|');
const STATUSES = new RegExp(`^(?:${STATUS})(?:,(?:${STATUS})){0,6}$`);

export const FilterTime = GivenTime.optional();

/** The filters of lists of runs. */
export const RunFilter = z.object({
  status: z
    .string()
    .regex(STATUSES, `One of ${STATUS.replaceAll('|', ', ')} is expected here, or several with commas between them`)
    .transform((text) => text.split(','))
    .pipe(z.array(RunStatusSchema))
    .optional()
    .openapi({
      type: 'string',
      pattern: STATUSES.source,
      description: 'Only runs with this status; several with commas between them: one is enough',
    }),
  graph: z.string().optional().openapi({ description: 'Only runs of the graph with this name' }),
  threadId: z.string().optional().openapi({ description: 'Only runs of this thread' }),
  parentRunId: z.string().optional().openapi({ description: 'Only forks of this run' }),
  createdAfter: FilterTime.openapi({ description: 'Only runs that began after this time (RFC 3339)' }),
  createdBefore: FilterTime.openapi({ description: 'Only runs that began before this time (RFC 3339)' }),
  metadata: severalOf(MetadataPair, { most: 10, pattern: METADATA_PAIR.source }).optional().openapi({
    description:
      'Only runs with this text, number or truth value in their metadata, such as `order:A-1`; it may be repeated, and all have to be there',
  }),
});

interface Several {
  readonly most: number;
  /** Of each text, for the description. */
  readonly pattern: string;
}

/** A query parameter that may be repeated: one arrives as a text, several as a list. */
function severalOf<T extends z.ZodType>(one: T, { most, pattern }: Several) {
  const toList = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [given]);
  return z
    .preprocess(toList, z.array(one).max(most))
    .openapi({ type: 'array', maxItems: most, items: { type: 'string', pattern } });
}
