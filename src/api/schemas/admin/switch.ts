import { z } from '@hono/zod-openapi';
import { NextCursor, Time, aPage, listOf, storableText } from '../common.ts';
import { NEW_SWITCH_EXAMPLE, SWITCH_EXAMPLE } from '../examples/administration.ts';
import { TenantName } from './tenant.ts';

const MAX_REASON = 1_000;
const MAX_NAME = 255;
/** The tenants that one switch names. */
const MAX_TENANTS = 100;

const KINDS = ['tool', 'model', 'function', 'node-type', 'graph'] as const;
const SwitchKindSchema = z.enum(KINDS).openapi('SwitchKind');
const State = z.enum(['on', 'off']);

export const KindAndName = z.object({
  kind: z.enum(KINDS).openapi({ description: 'What is switched' }),
  name: z.string().min(1).max(MAX_NAME).openapi({ description: 'Its name, as graphs use it; of a graph, its own' }),
});

export const NewSwitchSchema = z
  .strictObject({
    state: State,
    reason: storableText(MAX_REASON).openapi({ description: 'Is told to whoever meets it' }),
    tenants: z
      .array(TenantName)
      .min(1)
      .max(MAX_TENANTS)
      .optional()
      .openapi({ description: 'The tenants for which it is off; without it, for all' }),
  })
  .openapi('NewSwitch', { example: NEW_SWITCH_EXAMPLE });

export const SwitchSchema = z
  .object({
    kind: SwitchKindSchema,
    name: z.string(),
    state: State,
    reason: z.string(),
    tenants: listOf(z.string()).nullable().openapi({ description: 'Null: for all' }),
    changedAt: Time,
    changedBy: z.string(),
  })
  .openapi('Switch', { example: SWITCH_EXAMPLE });

export const SwitchListSchema = z
  .object({ items: listOf(SwitchSchema), nextCursor: NextCursor })
  .openapi('SwitchList', { example: aPage(SWITCH_EXAMPLE) });
