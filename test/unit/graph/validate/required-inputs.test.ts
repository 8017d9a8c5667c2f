import { expect, test } from 'vitest';
import { compileGraph } from '../../../../src/graph/compile/compile.ts';
import { missingInput } from '../../../../src/graph/compile/check-input.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

const graph = aDefinition({ channels: { log: {}, a: { default: 1 }, b: {} } });

test.each([
  [{ required: ['a'] }, []],
  [{ input: ['a'], required: ['a'] }, []],
  [{ input: ['a'], required: ['a', 'none', 'b'] }, ['UNKNOWN_CHANNEL /required/1', 'INVALID_FIELD /required/2']],
  [{ required: ['__proto__'] }, ['UNKNOWN_CHANNEL /required/0']],
  [{ required: 'a' }, ['INVALID_FIELD /required']],
])('required channels are declared inputs of the graph: %j', (over, expected) => {
  const found = validateGraph(toJson({ ...graph, ...over }), aCatalog()).filter(({ severity }) => severity === 'error');
  expect(found.map(({ code, path }) => `${code} ${path}`).toSorted()).toEqual(expected.toSorted());
});

test('a default does not replace a required input of a graph, and null is a value', () => {
  const compiled = compileGraph({ ...graph, required: ['a', 'b'] }, aCatalog());
  expect([missingInput(compiled, {}), missingInput(compiled, { a: null })]).toEqual([['a', 'b'], ['b']]);
  expect(missingInput(compileGraph(graph, aCatalog()), {})).toEqual([]);
});
