import { z } from '@hono/zod-openapi';
import { DEFINITION } from './definition-component.ts';
import { GivenRecord, JsonRecord, listOf, NextCursor, Time } from './common.ts';

const IssueSchema = z
  .object({
    code: z.string(),
    severity: z.enum(['error', 'warning']),
    path: z.string().openapi({ description: 'JSON Pointer to the offending value' }),
    message: z.string(),
    hint: z.string().optional(),
  })
  .openapi('GraphIssue');

/** The first graph of the README. */
const EXAMPLE_DEFINITION = {
  name: 'order-summary',
  channels: { number: { schema: { type: 'string' } }, order: {}, summary: {} },
  input: ['number'],
  output: ['summary'],
  nodes: {
    lookup: {
      type: 'tool',
      tool: 'lookup_order',
      args: { number: '{{ state.number }}' },
      write: { order: '{{ result.orders[0] }}' },
    },
    summarize: { type: 'set', write: { summary: '{{ state.order.item }}' } },
  },
  edges: [
    { from: '__start__', to: 'lookup' },
    { from: 'lookup', to: 'summarize' },
    { from: 'summarize', to: '__end__' },
  ],
};

/** Any object; the description refers to the shape of definitions, which depends on the installation. */
export const DefinitionSchema = JsonRecord.openapi({
  allOf: [{ $ref: `#/components/schemas/${DEFINITION}` }],
  example: EXAMPLE_DEFINITION,
});

export const GraphSummarySchema = z
  .object({ name: z.string(), version: z.int(), hash: z.string(), createdAt: Time, createdBy: z.string() })
  .openapi('GraphSummary');

export const GraphSchema = GraphSummarySchema.extend({
  definition: GivenRecord,
  warnings: listOf(IssueSchema),
}).openapi('Graph');

export const GraphListSchema = z
  .object({ items: listOf(GraphSummarySchema), nextCursor: NextCursor })
  .openapi('GraphList');

export const ValidationSchema = z.object({ valid: z.boolean(), issues: listOf(IssueSchema) }).openapi('Validation');
