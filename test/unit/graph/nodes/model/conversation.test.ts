import { expect, test, vi } from 'vitest';
import { withUniqueIds } from '../../../../../src/graph/nodes/model/conversation.ts';
import type { ModelReply } from '../../../../../src/graph/run/effect.ts';

const replyWith = (ids: readonly string[]): ModelReply => ({
  kind: 'model',
  text: '',
  toolCalls: ids.map((id) => ({ id, name: 'lookup', args: {} })),
  finishReason: 'tool-calls',
  usage: { inputTokens: 1, outputTokens: 1 },
});

const asked = (id: string) =>
  ({ role: 'assistant', content: '', toolCalls: [{ id, name: 'lookup', args: {} }] }) as const;

test.each([
  [
    ['', '', ''],
    ['call-2', 'call-4', 'call-5'],
  ],
  [
    ['call-3', 'call', 'call'],
    ['call-3-2', 'call-2', 'call-4'],
  ],
  [
    ['a', 'a-2', 'a', 'a-2'],
    ['a', 'a-2', 'a-3', 'a-2-2'],
  ],
])('tool calls with the ids %j get ids that no earlier call has', (given, ids) => {
  const { toolCalls } = withUniqueIds(replyWith(given), [asked('call'), asked('call-3')]);
  expect(toolCalls.map(({ id }) => id)).toEqual(ids);
});

test('a model’s reply whose tool call ids are unique stays unchanged', () => {
  const reply = replyWith(['a', 'b']);
  expect(withUniqueIds(reply, [asked('c')])).toBe(reply);
});

test.each(['', 'same'])('making the ids of many tool calls unique takes at most two look-ups each: "%s"', (id) => {
  const count = 1_000;
  const lookup = vi.spyOn(Set.prototype, 'has');
  const { toolCalls } = withUniqueIds(replyWith(Array.from({ length: count }, () => id)), []);
  const lookups = lookup.mock.calls.length;
  vi.restoreAllMocks();
  expect(new Set(toolCalls.map((call) => call.id)).size).toBe(count);
  expect(lookups).toBeLessThanOrEqual(2 * count);
});
