import { z } from 'zod';
import type { RegisteredNodeType } from '../activities/registered-code.ts';
import { BUILT_IN_PROCESSORS } from '../activities/context/processing-steps.ts';
import type { MessageProcessor } from '../activities/context/message-processor.ts';
import type { TokenCounter } from '../activities/context/estimate-tokens.ts';
import { NAME } from '../graph/definition/index.ts';
import { callFields, codeField, Safety } from './fields.ts';
import { JsonSchemaField } from './json-schema.ts';

export const MessageProcessors = z
  .record(z.string(), codeField<MessageProcessor>())
  .superRefine((processors, context) => {
    for (const name of BUILT_IN_PROCESSORS.filter((name) => Object.hasOwn(processors, name)))
      context.addIssue({ code: 'custom', path: [name], message: 'is the name of a built-in message processor' });
  });

/** A node type whose work is code. */
export const NodeType = z.strictObject({
  ...callFields,
  name: z.string().regex(NAME, 'must be a name such as "threshold"'),
  schema: JsonSchemaField.default({ type: 'object' }),
  effect: Safety.default('idempotent'),
  execute: codeField<RegisteredNodeType['execute']>(),
});

export const TokenCounters = z.record(z.string(), codeField<TokenCounter>());

/** Temporal's payload codecs. */
export const Codecs = z.array(
  z.custom<PayloadCodec>(isPayloadCodec, 'must be an object with the methods encode and decode'),
);

function isPayloadCodec(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ['encode', 'decode'].every((method) => typeof Reflect.get(value, method) === 'function');
}

/** A value as Temporal stores it. */
export interface EncodedPayload {
  metadata?: Record<string, Uint8Array> | null;
  data?: Uint8Array | null;
}

/** Transforms what Temporal stores, for example by encryption: Temporal's own interface `PayloadCodec`. */
export interface PayloadCodec {
  encode(payloads: EncodedPayload[]): Promise<EncodedPayload[]>;
  decode(payloads: EncodedPayload[]): Promise<EncodedPayload[]>;
}
