import { z } from 'zod';
import type { RegisteredFunction } from '../activities/call-function.ts';
import { callFields } from './call-fields.ts';
import { code } from './code.ts';
import { Effect } from './effect.ts';

/** Code that graphs call by name. A function alone may be called again after a crash; one that may not says so. */
const NamedFunction = z.union([
  code<RegisteredFunction['execute']>().transform((execute) => ({
    execute,
    effect: 'idempotent' as const,
    timeout: undefined,
    retry: undefined,
  })),
  z.strictObject({
    ...callFields,
    execute: code<RegisteredFunction['execute']>(),
    effect: Effect.default('idempotent'),
  }),
]);

export const Functions = z.record(z.string(), NamedFunction);
