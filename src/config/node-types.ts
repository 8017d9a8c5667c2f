import { z } from 'zod';
import type { RegisteredNodeType } from '../activities/call-node.ts';
import { callFields } from './call-fields.ts';
import { code } from './code.ts';
import { Effect } from './effect.ts';
import { Schema } from './schema.ts';

/** A type of node that is made by code. */
export const NodeType = z.strictObject({
  ...callFields,
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,62}$/, 'must be a name such as "threshold"'),
  schema: Schema.default({ type: 'object' }),
  effect: Effect.default('idempotent'),
  execute: code<RegisteredNodeType['execute']>(),
});
