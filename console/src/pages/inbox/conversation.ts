import type { Approval, Call } from 'holdfast/client';
import { diffRows } from '../../parts/diff-rows.ts';
import { isMembers } from '../../form/fields.ts';
import { toMessage, toToolCalls } from '../runs/messages/conversations.ts';
import type { Message } from '../runs/messages/conversations.ts';

/** The conversation with a model that led to an approval. */
export interface ModelConversation {
  readonly call: Call;
  /** The system prompt; `null` if there is none. */
  readonly system: string | null;
  /** The messages, the last one is the model's answer. Messages without text are left out. */
  readonly messages: readonly Message[];
  /** The number of messages that are not stored or have no text. */
  readonly missing: number;
}

type RequestedCall = Pick<Approval, 'tool' | 'args' | 'askedArgs'>;

/** Finds the model call that requested the approval's tool call, otherwise the latest. @param calls the latest first */
export function findCall(calls: readonly Call[], { tool, args, askedArgs = args }: RequestedCall): Call | null {
  const asked = { tool, args: askedArgs };
  return (
    calls.find(({ reply }) => toolCallsIn(reply).some((one) => isRequestedCall(one, asked))) ??
    calls.find(({ reply }) => toolCallsIn(reply).some(({ name }) => name === tool)) ??
    calls.find(({ reply }) => reply !== null) ??
    null
  );
}

/** True if a tool call of a model is the one that an approval is for. */
export function isRequestedCall(
  call: Message['toolCalls'][number],
  { tool, args, askedArgs = args }: RequestedCall,
): boolean {
  return call.name === tool && diffRows(call.args, askedArgs).length === 0;
}

/** Reads the conversation of a model call. */
export function readConversation(call: Call): ModelConversation {
  const request = isMembers(call.request) ? call.request : {};
  const { system, messages: sent, omitted } = request;
  const given = Array.isArray(sent) ? sent : [];
  const messages = given.flatMap((one: unknown, index) => toMessage(one, index) ?? []);
  const answer = answerOf(call);
  return {
    call,
    system: typeof system === 'string' && system !== '' ? system : null,
    messages: answer ? [...messages, answer] : messages,
    missing: (typeof omitted === 'number' ? omitted : 0) + given.length - messages.length,
  };
}

function answerOf({ key, reply }: Call): Message | null {
  if (reply === null || reply === undefined) return null;
  const text = isMembers(reply) ? reply['text'] : reply;
  const content = typeof text === 'string' ? text : JSON.stringify(reply);
  return { id: key, role: 'assistant', content, name: null, toolCalls: toolCallsIn(reply) };
}

function toolCallsIn(reply: unknown): Message['toolCalls'] {
  return toToolCalls(isMembers(reply) ? reply['toolCalls'] : null);
}

/** The number of messages that are visible at first. */
const MAX_MESSAGES = 6;

/** Returns the messages that are visible at first: the last ones, and always those since a person's last message. */
export function takeLatest(messages: readonly Message[]): readonly Message[] {
  const last = messages.slice(-MAX_MESSAGES);
  const asked = messages.findLast(({ role }) => role === 'user');
  return asked === undefined || last.includes(asked) ? last : [asked, ...last];
}
