import { expect, test } from 'vitest';
import { DEFAULTS } from '../../../../src/graph/definition/catalog.ts';
import type { Catalog } from '../../../../src/graph/definition/catalog.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { aCatalog, chainOf } from '../../../support/builders/builders.ts';

const parameters = { type: 'object' } as const;
const catalog: Catalog = aCatalog({
  tools: {
    slow: { description: 'Slow', parameters, effect: 'idempotent' },
    quick: { description: 'Quick', parameters, effect: 'idempotent', timeout: '10s' },
  },
  nodeTypes: { page: { schema: true, effect: 'idempotent' }, form: { schema: true, effect: 'keyed' } },
});

function pathsOf(node: JsonObject, over: JsonObject = {}, installation = catalog): string[] {
  const nodes: Json = { talk: { type: 'llm', messages: 'chat', tools: ['quick'] }, n: { ...node, execution: 'local' } };
  const definition = {
    name: 'local',
    channels: { chat: { reducer: 'messages' } },
    nodes,
    edges: chainOf(['talk', 'n']),
  };
  return validateGraph({ ...definition, ...over }, installation).map(({ path }) => path);
}

test.each<[string, JsonObject, boolean]>([
  ['the timeout of its tool', { type: 'tool', tool: 'quick' }, true],
  ['its own timeout, rather than its tool’s', { type: 'tool', tool: 'quick', timeout: '11s' }, false],
  ['its own timeout', { type: 'tool', tool: 'slow', timeout: '10s' }, true],
  ['the timeout of the installation', { type: 'tool', tool: 'slow' }, false],
  ['the tools that a message may request', { type: 'tool', calls: 'chat', tools: ['quick', 'slow'] }, false],
  ['the tools of the llm that requests the calls', { type: 'tool', calls: 'chat' }, true],
  ['the effect of a function', { type: 'function', function: 'double', timeout: '1s' }, true],
  ['the effect of its node type', { type: 'form', timeout: '1s' }, false],
  ['the effect of its node type, which is harmless', { type: 'page', timeout: '1s' }, true],
])('a node’s calls may be local activities depending on %s', (_what, node, isAllowed) => {
  expect(pathsOf(node)).toEqual(isAllowed ? [] : ['/nodes/n/execution']);
});

test('a node’s calls may be local because of the default timeouts of its graph or of the installation', () => {
  const node = { type: 'tool', tool: 'slow' };
  expect(pathsOf(node, { defaults: { timeout: '3s' } })).toEqual([]);
  expect(pathsOf(node, {}, { ...catalog, defaults: { ...DEFAULTS, timeout: '3s' } })).toEqual([]);
});

test('other faults of a node with local calls are reported once', () => {
  expect(pathsOf({ type: 'tool', tool: 'slower' })).toEqual(['/nodes/n/tool']);
  expect(pathsOf({ type: 'tool', tool: 'quick', timeout: 'soon' })).toEqual(['/nodes/n/timeout']);
});
