import { describe, expect, test } from 'vitest';
import { completionsAt, schemasAt } from '../../../../console/src/editor/completions.ts';
import { definitionSchema } from '../../../../src/graph/schema/index.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'What it is called' },
    isOpen: { type: 'boolean' },
    kind: { enum: ['small', 'large'] },
    inner: { $ref: '#/$defs/tree' },
    nodes: {
      type: 'object',
      additionalProperties: {
        anyOf: [
          { type: 'object', properties: { type: { const: 'set' }, values: { type: 'object' } } },
          { type: 'object', properties: { type: { const: 'tool' }, tool: { type: 'string' } } },
        ],
      },
    },
  },
  $defs: { tree: { type: 'object', properties: { left: { $ref: '#/$defs/tree' }, leaf: { type: 'number' } } } },
};

/** Completes where `|` stands. @returns the labels */
function complete(marked: string, schema: unknown = SCHEMA): readonly string[] {
  const offset = marked.indexOf('|');
  return completionsAt(marked.replace('|', ''), offset, schema).map(({ label }) => label);
}

/** Takes the first completion. */
function take(marked: string): string {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  const [first] = completionsAt(text, offset, SCHEMA);
  return first ? text.slice(0, first.from) + first.insert + text.slice(first.to) : text;
}

describe('completions of member names', () => {
  test('completions of the console’s JSON editor are the names that are missing in an object', () => {
    expect(complete('{ | }')).toEqual(['name', 'isOpen', 'kind', 'inner', 'nodes']);
    expect(complete('{ "name": "x", "kind": "small", | }')).toEqual(['isOpen', 'inner', 'nodes']);
  });

  test('completions of the console’s JSON editor are filtered by the typed text', () => {
    expect(complete('{ "n|" }')).toEqual(['name', 'nodes', 'isOpen', 'kind', 'inner']);
    expect(complete('{ "na|" }')).toEqual(['name']);
  });

  test('completions of the console’s JSON editor are found through schema references at any depth', () => {
    expect(complete('{ "inner": { "left": { "left": { | } } } }')).toEqual(['left', 'leaf']);
  });

  test('completions of the console’s JSON editor come from the schema alternative whose constant matches', () => {
    expect(complete('{ "nodes": { "a": { "type": "tool", | } } }')).toEqual(['tool']);
    expect(complete('{ "nodes": { "a": { | } } }')).toEqual(['type', 'values', 'tool']);
  });

  test('completions of the console’s JSON editor insert an initial value, unless there is one', () => {
    expect(take('{ "na|" }')).toBe('{ "name": "" }');
    expect(take('{ "na|": "x" }')).toBe('{ "name": "x" }');
    expect(take('{ "inn|" }')).toBe('{ "inner":  }');
    expect(take('{ "nam|\n "kind": "small" }')).toBe('{ "name": "",\n "kind": "small" }');
  });
});

describe('completions of values', () => {
  test('completions of a value in the console’s JSON editor are the allowed values of an enumeration, a constant or a boolean', () => {
    expect(complete('{ "kind": | }')).toEqual(['small', 'large']);
    expect(complete('{ "isOpen": | }')).toEqual(['true', 'false']);
    expect(complete('{ "nodes": { "a": { "type": "|" } } }')).toEqual(['set', 'tool']);
  });

  test('completions of a value in the console’s JSON editor replace the typed text', () => {
    expect(take('{ "kind": "la|" }')).toBe('{ "kind": "large" }');
  });
});

describe('the schema of definitions', () => {
  const schema = definitionSchema({});

  test('the console’s JSON editor completes the fields of a node by its type', () => {
    const found = complete('{ "nodes": { "ask": { "type": "approval", | } } }', schema);
    expect(found).toContain('policy');
    expect(found).not.toContain('tool');
  });

  test('the console’s JSON editor completes the types of nodes', () => {
    expect(complete('{ "nodes": { "ask": { "type": "app|" } } }', schema)).toEqual(['approval']);
  });

  test('the console’s JSON editor has no completions outside of the definition’s objects', () => {
    expect(complete('| { }', schema)).toEqual([]);
    expect(complete('{ "nowhere": { | } }', schema)).toEqual([]);
  });
});

test('a JSON schema that is its own alternative does not recurse forever in the editor', () => {
  const schema = { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } };
  expect(schemasAt(schema, {}, []).length).toBeLessThan(100);
});
