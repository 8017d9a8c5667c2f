import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { etag } from 'hono/etag';
import { HOUR_MS, toJson, toJsonObject } from '../../graph/values/index.ts';
import { answerChat, followRun } from '../chat/answer-chat.ts';
import type { ChatAnswer } from '../chat/answer-chat.ts';
import { CHUNK_HEADERS, writeChunks } from '../chat/chat-stream.ts';
import type { UiChunk } from '../chat/messages/plan-chat.ts';
import { readChat } from '../chat/read-chat.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { createTenantSlots, requireSlot } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { routes, tagged } from '../middleware/route.ts';
import type { Route } from '../middleware/route.ts';
import { ChatMessagesSchema, ChatMessagesQuery } from '../schemas/chat.ts';
import { jsonAnswer, JsonRecord } from '../schemas/common.ts';
import { OnBusy, ThreadId } from '../schemas/run.ts';
import { sendStream } from '../streams/answer-stream.ts';
import { readIdempotencyKey } from '../http/admission.ts';

const chatTag = tagged('chat');

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

const ChatSchema = z
  .strictObject({
    id: ThreadId.openapi({ description: 'The thread, whose runs the messages of the chat come from' }),
    messages: z.array(UiMessageSchema).min(1).max(MAX_MESSAGES).openapi({
      description:
        'Only the last one is read: what has been said before is in the thread. It has parts of the types text and file; the url of a stored file is /api/blobs/{id}',
    }),
    trigger: z.literal('submit-message', 'An answer is not made anew: fork its run instead').default('submit-message'),
    messageId: z.string().max(MAX_ID).optional(),
    input: JsonRecord.default({}).openapi({ description: 'Values of further channels' }),
    onBusy: OnBusy,
  })
  .openapi('Chat', {
    example: {
      id: 'chat-7',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Where is my order A-1001?' }] }],
      trigger: 'submit-message',
    },
  });

/** The longest duration of a stream; clients may reconnect. */
const MAX_STREAM_MS = HOUR_MS;

const STREAM = {
  description: "The answer as the AI SDK's UI message stream, version 1",
  content: { 'text/event-stream': { schema: z.string() } },
};

const chatRoute = (slots: TenantSlots): Route =>
  chatTag.post('/api/chat/{graph}', ['run:start', 'approval:decide'], {
    id: 'chat',
    summary: 'Have a run of a graph answer a message of `useChat`, or go on after decisions',
    params: z.object({ graph: z.string().openapi({ description: '"name" or "name@3"' }) }),
    body: ChatSchema,
    key: 'by-handler',
    audit: 'by-handler',
    answers: { 200: STREAM },
    problems: [404, 410, 429],
    handle: (deps) => async (c) => {
      const { id: threadId, messages, input, onBusy } = c.req.valid('json');
      const request = {
        graph: c.req.valid('param').graph,
        threadId,
        messages: messages.map(({ id, role, parts, metadata }) => ({
          id,
          role,
          parts: parts.map(toJsonObject),
          ...(metadata !== undefined && { metadata: toJson(metadata) }),
        })),
        input: toJsonObject(input),
        onBusy,
        key: readIdempotencyKey(c.req.header('idempotency-key')),
        record: c.get('recordAct'),
      };
      const answer = async (): Promise<ChatAnswer> => await answerChat(deps, c.get('caller'), request);
      return await streamAnswer(c, deps, slots, answer);
    },
  });

const UntilQuery = z.strictObject({
  until: z
    .enum(['approval', 'end'])
    .default('approval')
    .openapi({ description: 'Where the stream ends: where people have to decide, or only with the run' }),
});

const ThreadParameters = z.object({ threadId: ThreadId.openapi({ description: 'The id of the thread' }) });
const ThreadOfGraphParameters = ThreadParameters.extend({
  graph: z.string().openapi({ description: 'The graph that messages are sent to' }),
});

/** The stream of a thread. AI SDK clients request it at a path below the one to which they send messages. */
const followChatRoute = (slots: TenantSlots, path: string, id: string, params: typeof ThreadParameters): Route =>
  chatTag.get(path, 'run:read', {
    id,
    summary: 'The answer that a thread is at, from its beginning',
    params,
    query: UntilQuery,
    answers: { 200: STREAM, 204: { description: 'No run of the thread is active' } },
    problems: [429],
    handle: (deps) => async (c) => {
      const caller = c.get('caller');
      const { until } = c.req.valid('query');
      const thread = await deps.store.threads.find(caller.tenantId, c.req.valid('param').threadId);
      const runId = thread?.activeRunId ?? null;
      if (runId === null) return c.body(null, 204);
      if (c.req.method === 'HEAD') return c.body(null, 200, CHUNK_HEADERS);
      const answer = async (): Promise<ChatAnswer> => await followRun(deps, caller, runId, until);
      return await streamAnswer(c, deps, slots, answer);
    },
  });

/** The most conversations that are read at once, as each takes the histories of its runs. */
const MAX_READS = 32;
const MAX_READS_OF_TENANT = 8;

const readChatRoute = (slots: TenantSlots): Route =>
  chatTag.get('/api/chat/{threadId}/messages', 'run:read', {
    id: 'readChat',
    summary: 'What was said in a thread, for the `messages` of `useChat`; of an unknown thread it is empty',
    params: ThreadParameters,
    query: ChatMessagesQuery,
    answers: {
      200: jsonAnswer(ChatMessagesSchema, 'The newest messages, in their order'),
      304: { description: 'The caller has them: `If-None-Match` names their entity tag' },
    },
    problems: [400, 429],
    before: () => [etag()],
    handle: (deps) => async (c) => {
      const caller = c.get('caller');
      const refusal = 'Too many conversations are being read; ask again soon';
      const release = requireSlot(slots, caller.tenantId, refusal);
      try {
        return c.json(await readChat(deps, caller, c.req.valid('param').threadId, c.req.valid('query')), 200);
      } finally {
        release();
      }
    },
  });

/** Routes of chats. */
export function chatRoutes(deps: ApiDeps): ReturnType<ReturnType<typeof routes>> {
  const slots = createTenantSlots(deps.settings.waits);
  return routes(
    chatRoute(slots),
    readChatRoute(createTenantSlots({ perTenant: MAX_READS_OF_TENANT, total: MAX_READS })),
    followChatRoute(slots, '/api/chat/{threadId}/stream', 'followChat', ThreadParameters),
    followChatRoute(slots, '/api/chat/{graph}/{threadId}/stream', 'followChatOfGraph', ThreadOfGraphParameters),
  )(deps);
}

/** Streams an answer if the tenant has a free slot. */
async function streamAnswer(
  c: Context<ApiEnv>,
  deps: ApiDeps,
  slots: TenantSlots,
  answer: () => Promise<ChatAnswer>,
): Promise<Response> {
  const refusal = 'Too many streams are open; ask again when one has ended';
  const release = requireSlot(slots, c.get('caller').tenantId, refusal);
  const { chunks, close } = await answer().catch((error: unknown) => {
    release();
    throw error;
  });
  const fail = (error: unknown): UiChunk => {
    const requestId = c.get('requestId');
    deps.logger.error({ error, requestId, path: c.req.path }, 'a stream failed');
    return { type: 'error', errorText: `The stream broke off; the server's log names request ${requestId}` };
  };
  return sendStream(c, deps, {
    headers: CHUNK_HEADERS,
    maxMs: MAX_STREAM_MS,
    produce: async (body) => await writeChunks(body, chunks([body.over]), fail),
    over() {
      close();
      release();
    },
  });
}
