import { describe, expect, test } from 'vitest';
import { compileJsonSchema, findSchemaProblems } from '../../../../src/graph/values/json-schema.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';

describe('a value', () => {
  test.each<[JsonObject | boolean, Json, string[]]>([
    [{ pattern: '^a+$' }, 'aa', []],
    [{ pattern: '^a+$' }, 'b', ['']],
    [{ patternProperties: { '^n': { type: 'number' } } }, { n1: 'x', m: 'x' }, ['/n1']],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      [''],
    ],
    [{ uniqueItems: true }, [1, 2], []],
    [{ uniqueItems: false }, [1, 1], []],
    [{ uniqueItems: true }, 'text', []],
    [{ required: ['a'] }, {}, ['']],
    [{ properties: { a: { type: 'number' } } }, { toString: 1, constructor: 2, a: 3 }, []],
    [{ properties: { a: {} }, additionalProperties: false }, { valueOf: 1 }, ['/valueOf']],
    [true, 1, []],
    [false, 1, ['']],
  ])('by %j: %j breaks it at %j', (...[schema, value, paths]) => {
    expect(compileJsonSchema(schema)(value).map(({ path }) => path)).toHaveLength(paths.length);
  });

  test('that is too deep for a schema that follows it breaks it', () => {
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
    expect(compileJsonSchema({ items: { $ref: '#' } })(deep)).toHaveLength(1);
  });
});

describe('a schema', () => {
  test.each([
    [{ type: 'object' }, 0],
    [true, 0],
    [7, 1],
    [{ pattern: '(' }, 1],
    [{ pattern: 7 }, 1],
    [{ patternProperties: 7 }, 1],
    [{ patternProperties: { x: 7 } }, 1],
    [{ properties: 7 }, 1],
    [{ $ref: '#/nowhere' }, 1],
    [{ $ref: '#' }, 1],
    [{ type: 'nope' }, 1],
  ])('%j has %i problems at least', (...[schema, count]) => {
    expect(Math.min(1, findSchemaProblems(schema).length)).toBe(count);
  });
});
