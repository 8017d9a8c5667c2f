import { CALL_SAFETIES } from '../../graph/definition/index.ts';
import type { ApprovalTerms } from '../../graph/definition/index.ts';
import type { JsonSchema } from '../../graph/values/index.ts';
import { Time, listOf, orNull, NextCursor } from './common.ts';
import { z } from './zod.ts';

const jsonSchemaOf = (what: string) =>
  z.custom<JsonSchema>().openapi({ type: ['object', 'boolean'], description: `JSON Schema (2020-12) of ${what}` });

const ApprovalTermsSchema = z.custom<ApprovalTerms>().openapi({
  type: 'object',
  properties: { when: { type: 'string' }, policy: { type: 'object' }, timeout: { type: 'string' } },
  description: '`when` is CEL over `args`, absent for each call; `policy` is that of an approval node',
});

const TOOL_EXAMPLE = {
  name: 'issue_refund',
  description: 'Pays money back for an order',
  parameters: { type: 'object', properties: { order: { type: 'string' }, amount: { type: 'number' } } },
  result: { type: 'object', properties: { refund: { type: 'string' } }, required: ['refund'] },
  effect: 'keyed',
  approval: { when: 'args.amount > 100', policy: { roles: ['approver'] } },
  roles: null,
  onFailure: 'tell',
  taskQueue: null,
  timeout: '60s',
  switchedOff: null,
};

export const ToolSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    parameters: jsonSchemaOf('its arguments'),
    result: orNull(jsonSchemaOf('what it returns')).openapi({ description: 'What it returns; null: it does not say' }),
    effect: z.enum(CALL_SAFETIES).openapi({ description: 'How often a call may be made again after a crash' }),
    approval: z
      .union([z.enum(['never', 'always']), ApprovalTermsSchema])
      .nullable()
      .openapi({
        description: 'When people are asked first, and who; null: when an agent wants to call an `unsafe` tool',
      }),
    roles: listOf(z.string()).nullable().openapi({ description: 'Who started a run needs one of them; null: anybody' }),
    onFailure: z.string().openapi({
      description: "What becomes of an agent's call that has failed: `tell`, `intervene` or a tool's name",
    }),
    taskQueue: z.string().nullable().openapi({ description: "Temporal's task queue; null: the engine's own" }),
    timeout: z.string().openapi({ description: 'Of one attempt, unless a graph says otherwise' }),
    switchedOff: z
      .object({ reason: z.string(), since: Time })
      .nullable()
      .openapi({ description: 'Its calls wait, as an administrator has switched it off; null: it is on' }),
  })
  .openapi('Tool', { example: TOOL_EXAMPLE });

export type ToolJson = z.output<typeof ToolSchema>;

export const ToolListSchema = z
  .object({
    items: listOf(ToolSchema),
    nextCursor: NextCursor,
    warnings: listOf(z.string()).openapi({
      description: 'What MCP servers list that can not be used, since the process started',
    }),
  })
  .openapi('ToolList', { example: { items: [TOOL_EXAMPLE], nextCursor: null, warnings: [] } });
