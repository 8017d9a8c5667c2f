import { z } from '@hono/zod-openapi';
import { JsonRecord } from './common.ts';
import { ThreadId } from './run.ts';

/** Limits of the parts of a message that are read. The whole body has its own limit. */
const MAX_ID = 255;
const MAX_MESSAGES = 1_000;
const MAX_PARTS = 1_000;

/** A message in the AI SDK's format, to which apps may add their own fields and parts. */
const UiMessageSchema = z.looseObject({
  id: z.string().max(MAX_ID),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(JsonRecord).max(MAX_PARTS),
  metadata: z.unknown().optional(),
});

export const ChatSchema = z
  .strictObject({
    id: ThreadId.openapi({ description: 'The thread, whose runs the messages of the chat come from' }),
    messages: z.array(UiMessageSchema).min(1).max(MAX_MESSAGES).openapi({
      description:
        'Only the last one is read: what has been said before is in the thread. It has parts of the types text and file; the url of a stored file is /api/blobs/{id}',
    }),
    trigger: z.literal('submit-message', 'An answer is not made anew: fork its run instead').default('submit-message'),
    messageId: z.string().max(MAX_ID).optional(),
    input: JsonRecord.default({}).openapi({ description: 'Values of further channels' }),
    onBusy: z
      .enum(['reject', 'enqueue', 'interrupt'])
      .default('reject')
      .openapi({ description: 'What happens while another run of the thread is not over' }),
  })
  .openapi('Chat', {
    example: {
      id: 'chat-7',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Where is my order A-1001?' }] }],
      trigger: 'submit-message',
    },
  });
