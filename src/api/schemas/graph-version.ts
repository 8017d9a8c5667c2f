import { z } from '@hono/zod-openapi';
import { aPage, digits, GivenJson, listOf, NextCursor, Time } from './common.ts';
import { GRAPH_ALIAS_EXAMPLE, GRAPH_DIFF_EXAMPLE } from './examples/graph.ts';

const MAX_VERSION = 999_999_999;

export const GraphName = z.object({ name: z.string().openapi({ description: 'The name of the graph' }) });
export const NameAndVersion = GraphName.extend({
  version: digits(MAX_VERSION).openapi({ description: 'Its version, from 1' }),
});
export const NameAndAlias = GraphName.extend({
  alias: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'A letter comes first, then letters, digits, "_" and "-", 63 in all')
    .openapi({ description: 'A letter, then letters, digits, "_" and "-"' }),
});

export const DiffQuery = z.strictObject({
  from: digits(MAX_VERSION).openapi({ description: 'The version before' }),
  to: digits(MAX_VERSION).openapi({ description: 'The version after' }),
});

const change = <Kind extends string, Sides extends z.ZodRawShape>(kind: Kind, sides: Sides) =>
  z.object({
    kind: z.literal(kind),
    path: z.string().openapi({ description: 'JSON Pointer; of what is removed, into the version before' }),
    ...sides,
  });

export const GraphDiffSchema = z
  .object({
    name: z.string(),
    from: z.int(),
    to: z.int(),
    changes: listOf(
      z.discriminatedUnion('kind', [
        change('added', { after: GivenJson }),
        change('removed', { before: GivenJson }),
        change('changed', { before: GivenJson, after: GivenJson }),
      ]),
    ),
  })
  .openapi('GraphDiff', { example: GRAPH_DIFF_EXAMPLE });

const Version = z.int().min(1).max(MAX_VERSION);

export const NewAliasSchema = z
  .strictObject({
    version: Version,
    canary: z
      .strictObject({
        version: Version,
        share: z.number().min(0).max(1).openapi({ description: 'The part of new runs that get this version' }),
      })
      .optional(),
  })
  .openapi('NewGraphAlias', { example: { version: 1, canary: { version: 2, share: 0.1 } } });

export const GraphAliasSchema = z
  .object({
    name: z.string(),
    alias: z.string(),
    version: z.int(),
    canary: z.object({ version: z.int(), share: z.number() }).nullable(),
    updatedAt: Time,
    by: z.string(),
  })
  .openapi('GraphAlias', { example: GRAPH_ALIAS_EXAMPLE });

export const GraphAliasListSchema = z
  .object({ items: listOf(GraphAliasSchema), nextCursor: NextCursor })
  .openapi('GraphAliasList', { example: aPage(GRAPH_ALIAS_EXAMPLE) });
