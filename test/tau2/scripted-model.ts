import { z } from 'zod';
import type { Case, Cases, Turns } from './cases.ts';
import type { Action } from './data.ts';
import { undoableName } from './tools.ts';

/* A model of OpenAI's protocol that makes the calls of a task, and then answers. */

const MessageSchema = z.looseObject({ role: z.string(), content: z.unknown() });
const RequestSchema = z.looseObject({
  messages: z.array(MessageSchema),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** The message of a customer; its first line names the case. */
export function messageOf({ id, task }: Case): string {
  return `Case ${id}\n${task.reason}\n${task.known}`;
}

/** Answers a request. @throws if it is not about a case */
export function replyOf(cases: Cases, body: unknown): { readonly one: Case; readonly reply: object } {
  const { messages, tools } = RequestSchema.parse(body);
  const one = cases.byId(
    /^Case (\S+)$/m.exec(textOf(messages.find(({ role }) => role === 'user')?.content))?.[1] ?? '',
  );
  one.told = messages.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const calls = TURNS[one.turns](one.task.actions)[turn] ?? [];
  const offered = new Set(tools.map((tool) => tool.function.name));
  const tool_calls = calls.map(({ name, args }, at) => ({
    id: `call-${turn}-${at}`,
    type: 'function',
    function: { name: offered.has(name) ? name : undoableName(name), arguments: JSON.stringify(args) },
  }));
  const isAsking = tool_calls.length > 0;
  const message = { role: 'assistant', ...(isAsking ? { content: null, tool_calls } : { content: 'Done' }) };
  const choices = [{ index: 0, message, finish_reason: isAsking ? 'tool_calls' : 'stop' }];
  return { one, reply: { id: 'c', object: 'chat.completion', created: 1, model: 'scripted', choices, usage: USAGE } };
}

const TURNS: Readonly<Record<Turns, (actions: readonly Action[]) => readonly (readonly Action[])[]>> = {
  'one call a turn': (actions) => actions.map((action) => [action]),
  'all calls in one turn': (actions) => [actions],
};

/** A content is a text, or a list of parts. */
function textOf(content: unknown): string {
  const parts = z.array(z.looseObject({ text: z.string().default('') })).safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join('') : z.string().parse(content);
}
