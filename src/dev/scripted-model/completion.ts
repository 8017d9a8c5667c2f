import { createHash } from 'node:crypto';
import { z } from 'zod';
import { toJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import { readFacts, readPromptText, readTicket } from './prompt.ts';
import type { AnsweredCall, ScriptedConversation, ScriptedCall, ScriptedPrompt } from './prompt.ts';
import { refundCalls, reportRefunds } from './refund-agent.ts';
import { writeReply } from './write-reply.ts';
import { classifyTicket } from './classify.ts';
import { checkReply, reviseReply } from './review-reply.ts';
import { smallestValue } from './smallest-value.ts';

const MessageContentSchema = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().default('') })).transform((parts) => parts.map(({ text }) => text).join('')),
  z.null().transform(() => ''),
]);

const ChatToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const ChatMessage = z.looseObject({
  role: z.string(),
  content: MessageContentSchema.default(''),
  tool_calls: z.array(ChatToolCall).default([]),
  tool_call_id: z.string().default(''),
});
const ChatTool = z.looseObject({ function: z.looseObject({ name: z.string() }) });

/** The part of a chat completion request that the rules use. */
export const ChatRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(ChatMessage).min(1),
  tools: z.array(ChatTool).default([]),
  stream: z.boolean().default(false),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.json() }).optional() })
    .optional(),
});
export type ChatRequest = z.output<typeof ChatRequestSchema>;

/** A `chat.completion` object. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: AssistantMessage;
    readonly logprobs: null;
    readonly finish_reason: string;
  }[];
  readonly usage: JsonObject;
}

interface AssistantMessage {
  readonly role: string;
  readonly refusal: null;
  readonly content: string | null;
  readonly tool_calls?: readonly JsonObject[];
}

/** Answers a request with a `chat.completion` object. Equal requests get equal answers, ids included. */
export function completeChat({ stream: _stream, stream_options: _options, ...request }: ChatRequest): ChatCompletion {
  const { model, messages } = request;
  const digest = createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24);
  const conversation = readScriptedConversation(request);
  const reply = actAsAgent(conversation) ?? { kind: 'text', text: answerPrompt(conversation) };
  const prompt_tokens = countTokens(messages.map((message) => message.content).join('\n'));
  const completion_tokens = countTokens(reply.kind === 'text' ? reply.text : JSON.stringify(reply.calls));
  return {
    id: `chatcmpl-${digest}`,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      { index: 0, message: toChatAnswer(reply, digest), logprobs: null, finish_reason: FINISH_REASONS[reply.kind] },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

const FINISH_REASONS = { text: 'stop', calls: 'tool_calls' } as const;

function toChatAnswer(reply: AgentAction, digest: string): AssistantMessage {
  const common = { role: 'assistant', refusal: null };
  if (reply.kind === 'text') return { ...common, content: reply.text };
  const tool_calls = reply.calls.map(({ name, args }, at) => ({
    id: `call_${digest.slice(0, 8)}_${at}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { ...common, content: null, tool_calls };
}

function readScriptedConversation(
  request: Pick<ChatRequest, 'messages' | 'tools' | 'response_format'>,
): ScriptedConversation {
  const { messages, tools } = request;
  const system = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const lastUserIndex = messages.findLastIndex(({ role }) => role === 'user');
  return {
    system: system.map((message) => message.content).join('\n'),
    user: messages[lastUserIndex]?.content ?? '',
    schema: requestedAnswerSchema(request),
    tools: tools.map((tool) => tool.function.name),
    calls: answeredCalls(messages.slice(lastUserIndex + 1)),
  };
}

function answeredCalls(messages: ChatRequest['messages']): readonly AnsweredCall[] {
  const answers = new Map(messages.map((message) => [message.tool_call_id, message.content]));
  return messages
    .flatMap((message) => message.tool_calls)
    .map(({ id, function: { name, arguments: args } }) => ({
      name,
      args: toJsonObject(JSON.parse(args)),
      answer: answers.get(id) ?? '',
    }));
}

function requestedAnswerSchema({ response_format: format }: Pick<ChatRequest, 'response_format'>): Json {
  if (format === undefined || format.type === 'text') return null;
  return format.json_schema?.schema ?? {};
}

const CHARACTERS_PER_TOKEN = 4;

function countTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

interface ScriptedAgent {
  /** Text that only this agent's system prompt contains. */
  readonly phrase: string;
  /** The next tool calls; empty if the agent answers with text. */
  readonly calls: (conversation: ScriptedConversation) => readonly ScriptedCall[];
  readonly report: (conversation: ScriptedConversation) => string;
}

const AGENTS: readonly ScriptedAgent[] = [
  { phrase: 'You settle requests for refunds', calls: refundCalls, report: reportRefunds },
];

/** An agent's next step: tool calls or a text. */
export type AgentAction =
  | { readonly kind: 'calls'; readonly calls: readonly ScriptedCall[] }
  | { readonly kind: 'text'; readonly text: string };

/** Acts by the rules of the agent whose phrase the system prompt contains; `null` if there is none. */
export function actAsAgent(conversation: ScriptedConversation): AgentAction | null {
  const agent = AGENTS.find(({ phrase }) => conversation.system.includes(phrase));
  if (!agent) return null;
  const calls = agent.calls(conversation);
  return calls.length > 0 ? { kind: 'calls', calls } : { kind: 'text', text: agent.report(conversation) };
}

interface ScriptedTask {
  /** Text that only this task's system prompt contains. */
  readonly phrase: string;
  readonly answer: (prompt: ScriptedPrompt) => string;
}

const TASKS: readonly ScriptedTask[] = [
  { phrase: 'You classify support tickets', answer: (prompt) => JSON.stringify(classifyTicket(readTicket(prompt))) },
  { phrase: 'You write replies to customers', answer: (prompt) => writeReply(readFacts(prompt), readTicket(prompt)) },
  {
    phrase: 'You check replies to customers',
    answer: (prompt) => JSON.stringify(checkReply(readPromptText(prompt, 'draft'), readFacts(prompt))),
  },
  {
    phrase: 'You revise replies to customers',
    answer: (prompt) =>
      reviseReply({
        draft: readPromptText(prompt, 'draft'),
        reason: readPromptText(prompt, 'reason'),
        facts: readFacts(prompt),
        ticket: readTicket(prompt),
      }),
  },
];

const MAX_ECHO = 200;

/**
 * Answers a prompt by rules, the same prompt always the same. Without a rule it returns the smallest object that fits
 * the schema, or an echo.
 */
export function answerPrompt(prompt: ScriptedPrompt): string {
  const task = TASKS.find(({ phrase }) => prompt.system.includes(phrase));
  if (task) return task.answer(prompt);
  if (prompt.schema !== null) return JSON.stringify(smallestValue(prompt.schema));
  return `You said: ${prompt.user.slice(0, MAX_ECHO)}`;
}
