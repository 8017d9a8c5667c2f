import { describe, expect, test } from 'vitest';
import { toCallPolicy } from '../../../src/graph/definition/call-policy.ts';
import { DEFAULTS } from '../../../src/graph/definition/catalog.ts';
import { toolCallsOf } from '../../../src/graph/definition/message.ts';
import { referencesIn, replaceReferences } from '../../../src/graph/definition/references.ts';
import { foldCheckpoints } from '../../../src/graph/journal/checkpoint.ts';
import { shortenId } from '../../../src/graph/run/ids.ts';
import { openByGroup } from '../../../src/graph/superstep/plan-tasks.ts';
import { parseDuration, toMs } from '../../../src/graph/values/duration.ts';
import type { Json } from '../../../src/graph/values/json.ts';

describe('a duration', () => {
  test.each([
    ['1.5s', 1_500],
    ['36500d', 3_153_600_000_000],
    ['36501d', null],
    ['5x', null],
    ['', null],
    [7, null],
    [undefined, null],
  ])('%j is %j ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test('that is none does not get as far as a call', () => {
    expect(() => toMs('soon')).toThrow('"soon" is no duration');
  });
});

test('the deadline of a node is part of how its calls are tried', () => {
  expect(toCallPolicy([], DEFAULTS, '1h').deadlineMs).toBe(3_600_000);
  expect(toCallPolicy([], DEFAULTS, undefined).deadlineMs).toBeNull();
});

test('what is added to a channel that no checkpoint has set makes a list', () => {
  expect(foldCheckpoints([{ changes: { log: { append: [1] } } }, { changes: { log: { append: [2] } } }])).toEqual({
    log: [1, 2],
  });
});

test('without tasks no group has open elements', () => {
  expect(openByGroup([]).size).toBe(0);
});

test.each<[Json | undefined, string[]]>([
  [undefined, []],
  ['t', []],
  [[{ id: 't', name: 'x', args: {} }, { id: 't' }, 7], ['t']],
])('a message with the tool calls %j has those named %j', (toolCalls, ids) => {
  const message = { id: 'm', role: 'assistant', content: '', ...(toolCalls !== undefined && { toolCalls }) } as const;
  expect(toolCallsOf(message).map(({ id }) => id)).toEqual(ids);
});

describe('a place as part of an id', () => {
  const long = 'a'.repeat(161);

  test('stays as it is up to 160 characters', () => {
    expect(shortenId('a'.repeat(160))).toBe('a'.repeat(160));
  });

  test('is cut then, and still told from others', () => {
    expect(shortenId(long)).toMatch(/^a{90}~[0-9a-f]{64}$/);
    expect(shortenId(long)).toBe(shortenId(long));
    expect(shortenId(`${long}b`)).not.toBe(shortenId(`${long}c`));
  });
});

describe('the references of a definition', () => {
  const inner = { nodes: { s: { type: 'subgraph', graph: 'b' }, t: { type: 'set' } } };
  const definition = {
    nodes: {
      one: { type: 'subgraph', graph: 'a', write: 'x' },
      two: { type: 'subgraph', graph: inner },
      bad: { type: 'subgraph', graph: 7 },
      none: { type: 'subgraph' },
      text: 'no node',
      set: { type: 'set', graph: 'not one' },
    },
  };

  test('are found, inside too', () => {
    expect(referencesIn(definition)).toEqual(['a', 'b']);
    expect([referencesIn(7), referencesIn({}), referencesIn({ nodes: 7 })]).toEqual([[], [], []]);
  });

  test('are replaced, inside too, and nothing else is', () => {
    expect(replaceReferences(definition, (name) => `${name}@3`)).toEqual({
      nodes: {
        ...definition.nodes,
        one: { type: 'subgraph', graph: 'a@3', write: 'x' },
        two: { type: 'subgraph', graph: { nodes: { ...inner.nodes, s: { type: 'subgraph', graph: 'b@3' } } } },
      },
    });
  });

  test.each([{}, { nodes: 7 }, { nodes: {} }, { nodes: { t: { type: 'set' } } }])('%j stays as it is', (plain) => {
    expect(replaceReferences(plain, () => 'x')).toBe(plain);
  });
});
