import { describe, expect, test } from 'vitest';
import { parseExpression } from '../../../../src/graph/expression/expression.ts';

const NAMES = ['state', 'run', 'item', 'index', 'result', 'error'] as const;

function sourcesOf(source: string): { read: string[]; content: string[] } {
  const { read, content } = parseExpression(source, NAMES).sources();
  return { read: [...read].sort(), content: [...content].sort() };
}

describe('the content of an expression', () => {
  test.each([
    ['state.a', ['state.a']],
    ["state['a'].b.c", ['state.a']],
    ['state.?a.?b.orValue(0)', ['state.a']],
    ['state', ['state']],
    ['state[state.key]', ['state', 'state.key']],
    ['item.a', ['item.a']],
    ['result.args.card', ['result.args']],
    ['error.message', ['error.message']],
    ['[state.a, {"k": state.b}]', ['state.a', 'state.b']],
    ['state.a + state.b', ['state.a', 'state.b']],
    ['int(state.a)', ['state.a']],
    ['state.a.upperAscii().substring(2)', ['state.a']],
    ['json(state)', ['state']],
    ['coalesce(state.a, state.b)', ['state.a', 'state.b']],
    ['state.a || state.b', ['state.a', 'state.b']],
    ['!state.a', ['state.a']],
    ['state.list.map(x, x.a)', ['state.list']],
    ['state.list.map(x, state.b)', ['state.b']],
    ['state.list.filter(x, x == state.a)', ['state.list']],
    ['state.list.map(item, item)', ['state.list']],
    ['[1].map(x, [2].map(y, state.a))', ['state.a']],
    ['cel.bind(x, state.a, x + "!")', ['state.a']],
    ['cel.bind(x, state.a, "x")', []],
    ['state.a ? state.b : state.c', ['state.b', 'state.c']],
    ['{"a": 1}[state.a]', ['state.a']],
    ['state.a.indexOf("x")', ['state.a']],
  ])('the value of the expression %s is derived from the sources %j', (source, content) => {
    expect(sourcesOf(source).content).toEqual(content);
  });

  test.each([
    'size(state.a)',
    'state.a.size()',
    'state.a == state.b',
    'state.a in [state.b]',
    'state.a < 3',
    'has(state.a.b)',
    'type(state.a) == string',
    "state.a.startsWith('x') && !state.b.contains('y')",
    "state.a.matches('x+')",
    "matches(state.a, 'x+')",
    'state.list.exists(x, x == state.a)',
    'state.list.all(x, x > 1)',
    'state.list.exists_one(x, x > 1)',
    "state.a == 'x' ? 'yes' : 'no'",
    'run.id',
    'index',
  ])('the value of the expression %s reveals nothing of the sources that it reads', (source) => {
    expect(sourcesOf(source).content.filter((name) => name !== 'index' && !name.startsWith('run'))).toEqual([]);
  });

  test('an error of an expression may quote everything that the expression reads', () => {
    expect(sourcesOf('size(state.a) > 1 ? state.b : "c"').read).toEqual(['state.a', 'state.b']);
    expect(sourcesOf('state.list.filter(x, x.k == item)').read).toEqual(['item', 'state.list']);
    expect(sourcesOf('json(state) + cel.bind(x, result, x)').read).toContain('state');
  });
});
