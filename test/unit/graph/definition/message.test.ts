import { expect, test } from 'vitest';
import { toolCallsOf } from '../../../../src/graph/definition/message.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

test.each<[Json | undefined, string[]]>([
  [undefined, []],
  ['t', []],
  [[{ id: 't', name: 'x', args: {} }, { id: 't' }, 7], ['t']],
])('the tool calls %j of a message are read as those with the ids %j', (toolCalls, ids) => {
  const message = { id: 'm', role: 'assistant', content: '', ...(toolCalls !== undefined && { toolCalls }) } as const;
  expect(toolCallsOf(message).map(({ id }) => id)).toEqual(ids);
});
