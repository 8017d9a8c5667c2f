import * as fc from 'fast-check';
import type { ProcessorContext } from '../../../src/activities/context/message-processor.ts';
import { toolCallsOf } from '../../../src/graph/definition/message.ts';
import type { Message, ToolCall } from '../../../src/graph/definition/message.ts';

/** A call of the tool `lookup`. */
export function aCall(id: string, args: ToolCall['args'] = {}): ToolCall {
  return { id, name: 'lookup', args };
}

/** Builds an assistant's message with tool calls. */
export function aCaller(id: string, ...calls: readonly string[]): Message {
  return { id, role: 'assistant', content: '', toolCalls: calls.map((call) => aCall(call)) };
}

export function anAnswer(id: string, toolCallId: string, content = 'found'): Message {
  return { id, role: 'tool', toolCallId, content };
}

export function aMessage(id: string, role: Message['role'], content: string = id): Message {
  return { id, role, content };
}

/** Counts one token for each character. */
export function countingCharacters(maxTokens: number): ProcessorContext {
  return { maxTokens, count: lengthOf };
}

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce((total, { content }) => total + content.length, 0);
}

export function idsOf(messages: readonly Message[]): readonly string[] {
  return messages.map(({ id }) => id);
}

/** True if each call is directly followed by exactly one answer, in the order of the calls. */
export function isEachCallAnswered(messages: readonly Message[]): boolean {
  const expected = messages
    .filter(({ role }) => role !== 'tool')
    .flatMap((message) => [message.id, ...toolCallsOf(message).map(({ id }) => `answer to ${id}`)]);
  const found = messages.map(({ id, role, toolCallId }) =>
    role === 'tool' ? `answer to ${typeof toolCallId === 'string' ? toolCallId : 'nothing'}` : id,
  );
  return expected.join('\n') === found.join('\n');
}

const CALL_IDS = ['k1', 'k2', 'k3', 'k4'];
const text = fc.string({ maxLength: 40 });
const anyMessage: fc.Arbitrary<(id: string) => Message> = fc.oneof(
  fc.tuple(fc.constantFrom('user' as const, 'assistant' as const, 'system' as const), text).map(
    ([role, content]) =>
      (id: string) =>
        aMessage(id, role, content),
  ),
  fc
    .tuple(fc.array(fc.constantFrom(...CALL_IDS), { minLength: 1, maxLength: 3 }), text)
    .map(([calls, content]) => (id: string) => ({ ...aCaller(id, ...calls), content })),
  fc.tuple(fc.constantFrom(...CALL_IDS, 'nobody'), text).map(
    ([call, content]) =>
      (id: string) =>
        anAnswer(id, call, content),
  ),
);

/** Conversations with calls and answers in any order or missing, and some repeated ids. */
export const anyConversation: fc.Arbitrary<readonly Message[]> = fc
  .array(fc.tuple(anyMessage, fc.nat({ max: 9 })), { maxLength: 14 })
  .map((drawn) => drawn.map(([messageOf, number], at) => messageOf(number === 0 ? 'twice' : `m${at}`)));
