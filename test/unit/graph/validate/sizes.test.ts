import { describe, expect, test } from 'vitest';
import { validateGraph } from '../../../../src/graph/validate/index.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';

const CHANNELS = {
  text: { schema: { type: 'string' } },
  list: { schema: { type: 'array' } },
  log: { reducer: 'append' },
  tags: { reducer: 'union' },
  perhaps: { schema: { type: ['string', 'null'] } },
  either: { schema: { type: ['string', 'object'] } },
  box: { schema: { type: 'object' } },
  any: {},
} as const;

/** Returns the issue messages of a definition that writes the value of an expression. */
function messagesFor(text: string): readonly string[] {
  const nodes = { a: { type: 'set', write: { any: text } } } as const;
  const issues = validateGraph(toJson(aDefinition({ channels: CHANNELS, nodes })), aCatalog());
  return issues.filter(({ severity }) => severity === 'error').map(({ path, message }) => `${path} ${message}`);
}

describe('a member "length" of a channel', () => {
  test.each(['text', 'list', 'log', 'tags', 'perhaps'])(
    'reading "length" of the channel %s, which holds a text or a list, is reported, because it is not the size',
    (name) => {
      expect(messagesFor(`{{ state.${name}.length > 3 }}`)).toEqual([
        `/nodes/a/write/any "state.${name}" has no member "length". CEL writes size(state.${name})`,
      ]);
    },
  );

  test.each(['box', 'any', 'either'])('the channel %s may have a member named "length"', (name) => {
    expect(messagesFor(`{{ state.${name}.length > 3 }}`)).toEqual([]);
  });

  test('reading "length" of a list is also reported inside another expression and in a condition', () => {
    expect(messagesFor('{{ [1, 2].map(x, x + state["list"].length) }}')).toHaveLength(1);
    expect(messagesFor('{{ size(state.list) + state.box.list.length }}')).toEqual([]);
    expect(messagesFor('{{ [state.box].map(state, state.list.length) }}')).toEqual([]);
  });
});
