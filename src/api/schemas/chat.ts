import { digitsBetween, listOf } from './common.ts';
import { RunStatusSchema } from './run.ts';
import { z } from './zod.ts';

/** A part of a message. The package `ai` has the type of each as `UIMessagePart`. */
const ChatPartSchema = z.custom<{ readonly type: string }>().openapi({
  type: 'object',
  properties: { type: { type: 'string' } },
  required: ['type'],
  additionalProperties: true,
});

const ANSWER_EXAMPLE = {
  id: '01JZ8Q4T6C3V9W2K5M7N8P0R1S',
  role: 'assistant',
  metadata: { runId: '01JZ8Q4T6C3V9W2K5M7N8P0R1S', seq: 9, status: 'completed' },
  parts: [{ type: 'step-start' }, { type: 'text', text: 'It is on its way.', state: 'done' }],
} as const;

export const ChatMessageSchema = z
  .object({
    id: z.string(),
    role: z.enum(['system', 'user', 'assistant']),
    metadata: z
      .object({
        runId: z.string(),
        seq: z.int().optional().openapi({ description: 'The last event that the answer contains' }),
        status: RunStatusSchema.optional(),
        error: z.string().optional().openapi({ description: 'Why the answer has ended without being complete' }),
      })
      .optional(),
    parts: listOf(ChatPartSchema),
  })
  .openapi('ChatMessage', {
    description: "A `UIMessage` of the AI SDK, version 6. An answer has its run's id",
    example: ANSWER_EXAMPLE,
  });

export const ChatMessagesSchema = listOf(ChatMessageSchema).openapi({ example: [ANSWER_EXAMPLE] });

const MAX_READ_MESSAGES = 200;

export const ChatMessagesQuery = z.strictObject({
  limit: digitsBetween(MAX_READ_MESSAGES).default(50).openapi({
    default: 50,
    description:
      'Stops with the run that reaches this number of messages, whose messages stay together; sooner where they are large',
  }),
  before: z.string().min(1).optional().openapi({
    description: 'Only what was said before this run: `metadata.runId` of the first message that is known',
  }),
});
