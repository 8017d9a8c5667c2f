import { z } from '@hono/zod-openapi';
import type { Catalog } from '../../graph/definition/index.ts';
import { definitionSchema } from '../../graph/schema/index.ts';
import { isJsonList, isJsonObject, mapValues } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { DEFINITION_EXAMPLE, HASH_EXAMPLE, ISSUE_EXAMPLE } from './examples/graph.ts';
import { GivenRecord, JsonRecord, listOf, Time, pageOf } from './common.ts';

/** The name of the component in the API's description. */
export const DEFINITION = 'GraphDefinition';
const COMPONENT_REFERENCE = `#/components/schemas/${DEFINITION}`;

/**
 * Returns the JSON Schema of definitions as a component of the API's description, with references that start at the
 * document's root.
 */
export function definitionComponent(nodeTypes: Catalog['nodeTypes']): JsonObject {
  const { $schema: _dialect, ...schema } = definitionSchema(nodeTypes);
  return mapValues(schema, withRootReferences);
}

function withRootReferences(value: Json): Json {
  if (isJsonList(value)) return value.map(withRootReferences);
  if (!isJsonObject(value)) return value;
  return mapValues(value, (inner, name) =>
    name === '$ref' && typeof inner === 'string' ? inner.replace('#', COMPONENT_REFERENCE) : withRootReferences(inner),
  );
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
  allOf: [{ $ref: `#/components/schemas/${DEFINITION}` }],
  example: DEFINITION_EXAMPLE,
});

const GRAPH_SUMMARY_EXAMPLE = {
  name: 'order-summary',
  version: 1,
  hash: HASH_EXAMPLE,
  createdAt: '2026-11-24T09:00:00.000Z',
  createdBy: 'uma',
  unpublished: null,
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
  })
  .openapi('GraphSummary', { example: GRAPH_SUMMARY_EXAMPLE });

export const GraphSchema = GraphSummarySchema.extend({
  definition: GivenRecord,
  warnings: listOf(IssueSchema),
}).openapi('Graph', { example: { ...GRAPH_SUMMARY_EXAMPLE, definition: DEFINITION_EXAMPLE, warnings: [] } });

export const GraphListSchema = pageOf('GraphList', GraphSummarySchema, GRAPH_SUMMARY_EXAMPLE);

export const ValidationSchema = z
  .object({ valid: z.boolean(), issues: listOf(IssueSchema) })
  .openapi('Validation', { example: { valid: false, issues: [ISSUE_EXAMPLE] } });
