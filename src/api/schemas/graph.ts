import type { Catalog } from '../../graph/definition/index.ts';
import { definitionSchema } from '../../graph/schema/index.ts';
import { isJsonList, isJsonObject, mapValues } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { DEFINITION_EXAMPLE, HASH_EXAMPLE, ISSUE_EXAMPLE } from './examples.ts';
import { GivenRecord, JsonRecord, listOf, Time, pageOf } from './common.ts';
import { z } from './zod.ts';

const COMPONENTS = '#/components/schemas/';
const DEFINITION = 'GraphDefinition';

/**
 * Returns the JSON Schema of definitions, and the schemas that it shares between its parts, as components of the API's
 * description. Generators of clients know no `$defs`, so each is a component of its own.
 */
export function definitionComponents(nodeTypes: Catalog['nodeTypes']): Readonly<Record<string, JsonObject>> {
  const { $schema: _dialect, $defs = {}, ...schema } = definitionSchema(nodeTypes);
  const shared = isJsonObject($defs) ? Object.entries($defs).filter(isSchema) : [];
  return mapValues({ ...Object.fromEntries(shared), [DEFINITION]: schema }, withRootReferences);
}

function isSchema(entry: readonly [string, Json]): entry is [string, JsonObject] {
  return isJsonObject(entry[1]);
}

function withRootReferences(schema: JsonObject): JsonObject {
  return mapValues(schema, (value, name) =>
    name === '$ref' && typeof value === 'string' ? toComponent(value) : insideDefinition(value),
  );
}

function insideDefinition(value: Json): Json {
  if (isJsonList(value)) return value.map(insideDefinition);
  return isJsonObject(value) ? withRootReferences(value) : value;
}

function toComponent(reference: string): string {
  return reference === '#' ? `${COMPONENTS}${DEFINITION}` : reference.replace('#/$defs/', COMPONENTS);
}

const IssueSchema = z
  .object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    path: z.string().openapi({ description: 'JSON Pointer to the offending value' }),
    message: z.string(),
    hint: z.string().optional(),
  })
  .openapi('GraphIssue', { example: ISSUE_EXAMPLE });

/** Any object. The description refers to the schema of definitions, which depends on the installation. */
export const DefinitionSchema = JsonRecord.openapi({
  allOf: [{ $ref: `${COMPONENTS}${DEFINITION}` }],
  example: DEFINITION_EXAMPLE,
});

const GRAPH_SUMMARY_EXAMPLE = {
  name: 'order-summary',
  version: 1,
  hash: HASH_EXAMPLE,
  createdAt: '2026-11-24T09:00:00.000Z',
  createdBy: 'uma',
  unpublished: null,
  current: true,
};

export const GraphSummarySchema = z
  .object({
    name: z.string(),
    version: z.int(),
    hash: z.string(),
    createdAt: Time,
    createdBy: z.string(),
    unpublished: z
      .object({ at: Time, by: z.string() })
      .nullable()
      .openapi({ description: 'When and by whom the version was taken back; null: new runs may use it' }),
    current: z.boolean().openapi({
      description: 'True for the version that the name alone means: of those not taken back, the one published last',
    }),
  })
  .openapi('GraphSummary', { example: GRAPH_SUMMARY_EXAMPLE });

export const GraphSchema = GraphSummarySchema.extend({
  definition: GivenRecord,
  warnings: listOf(IssueSchema),
}).openapi('Graph', { example: { ...GRAPH_SUMMARY_EXAMPLE, definition: DEFINITION_EXAMPLE, warnings: [] } });

export const PublicationSchema = GraphSchema.extend({
  outcome: z.enum(['created', 'restored', 'unchanged']).openapi({
    description: '`restored`: the same content was published before, and is what the name means again',
  }),
  replaced: z.int().nullable().openapi({
    description: 'The version that the name meant until now; null if there was none, or if it means the same one',
  }),
}).openapi('Publication', {
  example: {
    ...GRAPH_SUMMARY_EXAMPLE,
    definition: DEFINITION_EXAMPLE,
    warnings: [],
    outcome: 'created',
    replaced: null,
  },
});

/** The graph of a run. A definition that was sent along with the run has no version. */
export const RunGraphSchema = z
  .object({
    name: z.string(),
    version: z.int().nullable(),
    hash: z.string(),
    definition: GivenRecord.openapi({
      description: 'As the run interprets it, with exact versions of the graphs inside',
    }),
    graphs: z
      .record(z.string(), GivenRecord)
      .openapi({ description: 'The graphs inside it, by the names in definitions' }),
  })
  .openapi('RunGraph', {
    example: { name: 'order-summary', version: 1, hash: HASH_EXAMPLE, definition: DEFINITION_EXAMPLE, graphs: {} },
  });

export const GraphListSchema = pageOf('GraphList', GraphSummarySchema, GRAPH_SUMMARY_EXAMPLE);

export const ValidationSchema = z
  .object({ valid: z.boolean(), issues: listOf(IssueSchema) })
  .openapi('Validation', { example: { valid: false, issues: [ISSUE_EXAMPLE] } });
