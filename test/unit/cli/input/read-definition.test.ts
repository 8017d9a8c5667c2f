import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLocator, createSourceLocator } from '../../../../src/cli/input/read-definition.ts';
import { toPointer } from '../../../../src/graph/values/json-pointer.ts';
import { isJsonList, isJsonObject } from '../../../../src/graph/values/json.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const TEXT = `{
  "a": [1, { "b": "]" }, []],
  "c/d": { "\\"{": null }
}`;

describe('createLocator', () => {
  test.each([
    ['', 1, 1],
    ['/a', 2, 3],
    ['/a/0', 2, 9],
    ['/a/1', 2, 12],
    ['/a/1/b', 2, 14],
    ['/a/2', 2, 26],
    ['/c~1d', 3, 3],
    ['/c~1d/"{', 3, 12],
    ['/c~1d/missing/deep', 3, 3],
    ['/missing', 1, 1],
    ['/missing/a', 1, 1],
  ])('the locator finds the JSON pointer "%s" in the text of a definition', (pointer, line, column) => {
    expect(createLocator(TEXT)(pointer)).toEqual({ line, column });
  });

  test('the locator finds the last of two members with the same name, as JSON.parse does', () => {
    expect(createLocator('{ "a": 1,\n  "a": { "b": 2 } }')('/a/b')).toEqual({ line: 2, column: 10 });
  });

  test('the locator finds every value of any JSON at its own location', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const json = toJson(value);
        const locate = createLocator(JSON.stringify(json, null, 1));
        const places = pointersIn(json, []).map((pointer) => JSON.stringify(locate(pointer)));
        expect(new Set(places).size).toBe(places.length);
      }),
    );
  });
});

function pointersIn(value: Json, path: readonly (string | number)[]): string[] {
  if (isJsonList(value)) return [toPointer(path), ...value.flatMap((item, at) => pointersIn(item, [...path, at]))];
  if (!isJsonObject(value)) return [toPointer(path)];
  return [toPointer(path), ...Object.entries(value).flatMap(([key, member]) => pointersIn(member, [...path, key]))];
}

const locate = createSourceLocator(`import { pay } from './tools.ts';

export const refund = new StateGraph({ name: 'refund', channels: { euros: {} } })
  .addNode('repay', { type: 'tool', tool: 'other' })
  .addNode('pay', {
    type: 'tool',
    args: { euros: '{{ state.euro }}' },
  });
`);

test.each([
  ['/nodes/pay', 5, 13],
  ['/nodes/pay/args/euros', 7, 13],
  ['/nodes/pay/retry', 5, 13],
  ['/edges/0/to', 3, 23],
  ['', 3, 23],
])('the pointer %s is located in the code that builds a graph', (pointer, line, column) => {
  expect(locate(pointer)).toEqual({ line, column });
});
