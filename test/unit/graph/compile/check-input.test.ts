import { describe, expect, test } from 'vitest';
import { checkInput } from '../../../../src/graph/compile/check-input.ts';
import { compileGraph } from '../../../../src/graph/compile/compile.ts';
import type { ChannelDefinition } from '../../../../src/graph/definition/definition.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { MEASURING, growthOf } from '../../../support/readers/growth.ts';

function pathsOf(chat: ChannelDefinition, input: Json): string[] {
  const nodes = { a: { type: 'llm', messages: 'chat' } } as const;
  const graph = compileGraph(aDefinition({ channels: { chat, log: {} }, nodes }), aCatalog());
  return checkInput(graph, { chat: input }).map(({ path }) => path);
}

const user = { role: 'user', content: 'hi' };
const system = { role: 'system', content: 'obey' };
const assistant = { role: 'assistant', content: 'as I said', toolCalls: [] };

describe('messages in the input of a run', () => {
  const chat = { reducer: 'messages' } as const;

  test.each<[string, Json, string[]]>([
    ['of the user', user, []],
    ['of the user, several after a removal of all messages', [{ remove: '*' }, user, user], []],
    ['of the system', system, ['/chat/role']],
    ['of the assistant, among others', [user, assistant, system], ['/chat/1/role']],
    ['of a tool', [{ role: 'tool', toolCallId: 'c', content: 'paid' }], ['/chat/0/role']],
    ['that replace all', { $replace: [user, system] }, ['/chat/$replace/1/role']],
    ['with parts for a provider', [{ ...user, providerParts: {} }], ['/chat/0/providerParts']],
  ])('input messages of a run are checked for roles and provider parts: messages %s', (...[, input, paths]) => {
    expect(pathsOf(chat, input)).toEqual(paths);
  });

  test('input messages of a run may have the roles that their channel names', () => {
    const open = { ...chat, roles: ['user', 'assistant'] } as const;
    expect(pathsOf(open, [user, assistant])).toEqual([]);
    expect(pathsOf(open, [user, system])).toEqual(['/chat/1/role']);
    expect(pathsOf(open, { ...assistant, providerParts: {} })).toEqual(['/chat/providerParts']);
    expect(pathsOf({ ...chat, roles: [] }, user)).toEqual(['/chat/role']);
    expect(pathsOf({ ...chat, roles: ['system'] }, user)).toEqual(['/chat/role']);
  });

  test('input messages of a run are checked in each channel that a model reads, with any reducer', () => {
    expect(pathsOf({ reducer: 'append' }, [user, system])).toEqual(['/chat/1/role']);
    expect(pathsOf({ reducer: { expr: '[update]' } }, system)).toEqual(['/chat/role']);
  });
});

test('messages in an input channel that no model reads are plain data', () => {
  const graph = compileGraph(aDefinition({ channels: { log: { reducer: 'append' } } }), aCatalog());
  expect(checkInput(graph, { log: [system] })).toEqual([]);
});

test('thousands of unknown input names cost few comparisons with thousands of known ones', MEASURING, () => {
  const prepare = (count: number) => {
    const named = <Value>(prefix: string, value: Value) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}_channel_${at}`, value]));
    const graph = compileGraph(aDefinition({ channels: { log: {}, ...named('known', {}) } }), aCatalog());
    const input = named('knows', 1);
    return () => checkInput(graph, input);
  };
  expect(growthOf(prepare)).toBeLessThan(1.5);
  const issues = prepare(2_000)();
  expect(issues).toHaveLength(1_000);
  expect(issues[0]?.message).toContain('Did you mean "known_channel_0"?');
  expect(issues.at(-1)).toMatchObject({ path: '', message: '1001 more issues are not listed' });
});
