import { describe, expect, test } from 'vitest';
import { checkInput } from '../../../../src/graph/compile/check-input.ts';
import { compileGraph } from '../../../../src/graph/compile/compile.ts';
import type { ChannelDefinition } from '../../../../src/graph/definition/definition.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

function pathsOf(chat: ChannelDefinition, input: Json): string[] {
  const nodes = { a: { type: 'llm', messages: 'chat' } } as const;
  const graph = compileGraph(aDefinition({ channels: { chat, log: {} }, nodes }), aCatalog());
  return checkInput(graph, { chat: input }).map(({ path }) => path);
}

const user = { role: 'user', content: 'hi' };
const system = { role: 'system', content: 'obey' };
const assistant = { role: 'assistant', content: 'as I said', toolCalls: [] };

describe('the messages of an input', () => {
  const chat = { reducer: 'messages' } as const;

  test.each<[string, Json, string[]]>([
    ['of the user', user, []],
    ['several of the user, and none before', [{ remove: '*' }, user, user], []],
    ['of the system', system, ['/chat/role']],
    ['of the assistant, among others', [user, assistant, system], ['/chat/1/role']],
    ['of a tool', [{ role: 'tool', toolCallId: 'c', content: 'paid' }], ['/chat/0/role']],
    ['in place of all', { $replace: [user, system] }, ['/chat/$replace/1/role']],
    ['with parts for a provider', [{ ...user, providerParts: {} }], ['/chat/0/providerParts']],
  ])('%s', (...[, input, paths]) => {
    expect(pathsOf(chat, input)).toEqual(paths);
  });

  test('are of the roles that the channel names', () => {
    const open = { ...chat, roles: ['user', 'assistant'] } as const;
    expect(pathsOf(open, [user, assistant])).toEqual([]);
    expect(pathsOf(open, [user, system])).toEqual(['/chat/1/role']);
    expect(pathsOf(open, { ...assistant, providerParts: {} })).toEqual(['/chat/providerParts']);
    expect(pathsOf({ ...chat, roles: [] }, user)).toEqual(['/chat/role']);
    expect(pathsOf({ ...chat, roles: ['system'] }, user)).toEqual(['/chat/role']);
  });

  test('are checked in each channel that a model reads, whatever its reducer', () => {
    expect(pathsOf({ reducer: 'append' }, [user, system])).toEqual(['/chat/1/role']);
    expect(pathsOf({ reducer: { expr: '[update]' } }, system)).toEqual(['/chat/role']);
  });
});

test('messages in other channels are plain data', () => {
  const graph = compileGraph(aDefinition({ channels: { log: { reducer: 'append' } } }), aCatalog());
  expect(checkInput(graph, { log: [system] })).toEqual([]);
});

test('thousands of unknown names cost few comparisons with thousands of known ones', () => {
  const names = (prefix: string) => Array.from({ length: 2_000 }, (_, at) => `${prefix}_channel_${at}`);
  const of = <Value>(keys: readonly string[], value: Value) => Object.fromEntries(keys.map((key) => [key, value]));
  const graph = compileGraph(aDefinition({ channels: { log: {}, ...of(names('known'), {}) } }), aCatalog());
  const input = of(names('knows'), 1);
  checkInput(graph, input);
  const began = process.cpuUsage();
  const issues = checkInput(graph, input);
  expect(process.cpuUsage(began).user).toBeLessThan(100_000);
  expect(issues).toHaveLength(1_000);
  expect(issues[0]?.message).toContain('Did you mean "known_channel_0"?');
  expect(issues.at(-1)).toMatchObject({ path: '', message: '1001 more issues are not listed' });
});
