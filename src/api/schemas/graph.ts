import { z } from '@hono/zod-openapi';
import { DEFINITION_EXAMPLE, GRAPH_SUMMARY_EXAMPLE, ISSUE_EXAMPLE } from './examples/graph.ts';
import { DEFINITION } from './definition-component.ts';
import { aPage, GivenRecord, JsonRecord, listOf, NextCursor, Time } from './common.ts';

const IssueSchema = z
  .object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    path: z.string().openapi({ description: 'JSON Pointer to the offending value' }),
    message: z.string(),
    hint: z.string().optional(),
  })
  .openapi('GraphIssue', { example: ISSUE_EXAMPLE });

/** Any object; the description refers to the shape of definitions, which depends on the installation. */
export const DefinitionSchema = JsonRecord.openapi({
  allOf: [{ $ref: `#/components/schemas/${DEFINITION}` }],
  example: DEFINITION_EXAMPLE,
});

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

export const GraphListSchema = z
  .object({ items: listOf(GraphSummarySchema), nextCursor: NextCursor })
  .openapi('GraphList', { example: aPage(GRAPH_SUMMARY_EXAMPLE) });

export const ValidationSchema = z
  .object({ valid: z.boolean(), issues: listOf(IssueSchema) })
  .openapi('Validation', { example: { valid: false, issues: [ISSUE_EXAMPLE] } });
