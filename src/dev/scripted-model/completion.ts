import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Json } from '../../graph/json.ts';
import { answer } from './answer.ts';

const Content = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().default('') })).transform((parts) => parts.map(({ text }) => text).join('')),
  z.null().transform(() => ''),
]);

/** The part of a chat completion request that the rules look at. */
export const ChatRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: Content.default('') })).min(1),
  stream: z.literal(false, 'the scripted model does not stream').optional(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.json() }).optional() })
    .optional(),
});
export type ChatRequest = z.output<typeof ChatRequestSchema>;

/** Answers a request as a `chat.completion` object. Equal requests get equal answers, ids and all. */
export function complete(request: ChatRequest): Json {
  const { model, messages } = request;
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const content = answer({
    system: system.map((message) => message.content).join('\n'),
    user: messages.findLast(({ role }) => role === 'user')?.content ?? '',
    schema: schemaOf(request),
  });
  const prompt_tokens = countTokens(messages.map((message) => message.content).join('\n'));
  const completion_tokens = countTokens(content);
  return {
    id: `chatcmpl-${createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24)}`,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function schemaOf({ response_format: format }: ChatRequest): Json {
  if (format === undefined || format.type === 'text') return null;
  return format.json_schema?.schema ?? {};
}

const CHARACTERS_PER_TOKEN = 4;

function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
