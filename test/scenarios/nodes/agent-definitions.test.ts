import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { pinCatalog } from '../../../src/graph/definition/pin-catalog.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aCatalog } from '../../support/builders/builders.ts';

const ours = aCatalog({ messageProcessors: ['last', 'summarize'] });

const issuesOf = (given: object, catalog: Catalog = ours): readonly string[] => {
  const node: JsonObject = JSON.parse(JSON.stringify(given));
  const definition: Json = {
    name: 'test',
    channels: {
      chat: { reducer: 'messages' },
      log: { reducer: 'append' },
      last: {},
      folded: { reducer: { expr: 'current + update' } },
    },
    nodes: { a: node },
    edges: [{ from: '__start__', to: 'a' }],
  };
  return validateGraph(definition, catalog)
    .filter(({ severity }) => severity === 'error')
    .map(({ code, path }) => `${code} ${path}`);
};

describe('an agent', () => {
  const agent = { type: 'agent', messages: 'chat', tools: ['lookup', 'charge'] } as const;

  test.each<[object, readonly string[]]>([
    [{}, []],
    [{ maxIterations: 1, approve: { lookup: 'always', charge: "args.key == 'a' && state.log == []" } }, []],
    [
      {
        deadline: '1m',
        timeout: '5s',
        retry: { maxAttempts: 2 },
        output: { type: 'object' },
        context: { strategy: ['last'] },
      },
      [],
    ],
    [{ tools: ['lookup', 'lookups'] }, ['UNKNOWN_TOOL /nodes/a/tools/1']],
    [{ tools: ['lookup', 'constructor'] }, ['UNKNOWN_TOOL /nodes/a/tools/1']],
    [{ tools: 'lookup' }, ['INVALID_FIELD /nodes/a/tools']],
    [{ tools: [7] }, ['INVALID_FIELD /nodes/a/tools/0']],
    [{ approve: { notify: 'always' } }, ['UNKNOWN_TOOL /nodes/a/approve/notify']],
    [{ approve: { 'no/such': 'never' } }, ['UNKNOWN_TOOL /nodes/a/approve/no~1such']],
    [{ approve: { lookup: 'args.key ==' } }, ['INVALID_EXPRESSION /nodes/a/approve/lookup']],
    [{ approve: { lookup: 'result.key' } }, ['INVALID_EXPRESSION /nodes/a/approve/lookup']],
    [{ approve: { lookup: 'state.nope' } }, ['UNKNOWN_CHANNEL /nodes/a/approve/lookup']],
    [{ approve: { lookup: 'run.nope == 1' } }, ['INVALID_EXPRESSION /nodes/a/approve/lookup']],
    [{ approve: { lookup: true } }, ['INVALID_FIELD /nodes/a/approve/lookup']],
    [{ tools: undefined, approve: { lookup: 'always' } }, ['UNKNOWN_TOOL /nodes/a/approve/lookup']],
    [{ approve: 'always' }, ['INVALID_FIELD /nodes/a/approve']],
    [{ maxIterations: 0 }, ['INVALID_FIELD /nodes/a/maxIterations']],
    [{ maxIterations: 1.5 }, ['INVALID_FIELD /nodes/a/maxIterations']],
    [{ onMaxIterations: 'intervene' }, []],
    [{ onMaxIterations: 'stop' }, ['INVALID_FIELD /nodes/a/onMaxIterations']],
    [{ prompt: 'x' }, ['INVALID_FIELD /nodes/a/messages']],
    [{ model: ['default', 'nope'] }, ['UNKNOWN_MODEL /nodes/a/model/1']],
    [{ deadline: 'soon' }, ['INVALID_DURATION /nodes/a/deadline']],
    [{ output: { type: 'nope' } }, ['INVALID_SCHEMA /nodes/a/output']],
    [{ context: { maxTokens: 0 } }, ['INVALID_FIELD /nodes/a/context/maxTokens']],
    [{ context: { strategy: 'lats' } }, ['INVALID_FIELD /nodes/a/context/strategy']],
    [{ context: { strategy: ['last', 'nope'] } }, ['INVALID_FIELD /nodes/a/context/strategy/1']],
    [{ context: { strategy: ['last'] } }, []],
    [{ system: '{{ nope }}' }, ['INVALID_TEMPLATE /nodes/a/system']],
    [{ system: '{{ state.nope }}' }, ['UNKNOWN_CHANNEL /nodes/a/system']],
    [{ messages: 'last' }, ['INVALID_FIELD /nodes/a/messages']],
    [{ messages: 'folded' }, []],
    [{ messages: 'nope' }, ['UNKNOWN_CHANNEL /nodes/a/messages']],
    [{ calls: 'chat' }, ['INVALID_FIELD /nodes/a/calls']],
  ])('an agent node with %j has the issues %j', (over, issues) => {
    expect(issuesOf({ ...agent, ...over }).map((issue) => issue.replace(/(output)\/.*/, '$1'))).toEqual(issues);
  });

  test('an agent node requires a prompt or messages', () => {
    expect(issuesOf({ type: 'agent' })).toEqual(['INVALID_FIELD /nodes/a']);
  });

  test('an agent node requires a model named default if it names none', () => {
    expect(issuesOf({ ...agent }, aCatalog({ models: {} }))).toEqual(['UNKNOWN_MODEL /nodes/a']);
  });
});

test.each<[JsonObject, readonly string[]]>([
  [{ calls: 'chat', tools: ['lookup'] }, []],
  [{ calls: 'chat' }, ['INVALID_FIELD /nodes/a']],
  [{ calls: 'chat', tools: ['lookup', 'missing'] }, ['UNKNOWN_TOOL /nodes/a/tools/1']],
  [{ tool: 'lookup', tools: ['lookup'] }, ['INVALID_FIELD /nodes/a/tools']],
  [{ calls: 'chat', tools: ['lookup'], tool: 'lookup' }, ['INVALID_FIELD /nodes/a/tool']],
  [
    { calls: 'chat', tools: ['lookup'], args: {}, compensate: { tool: 'charge' } },
    ['INVALID_FIELD /nodes/a/args', 'INVALID_FIELD /nodes/a/compensate'],
  ],
  [{ calls: 'nope', tools: [] }, ['UNKNOWN_CHANNEL /nodes/a/calls']],
  [{ calls: ['chat'] }, ['INVALID_FIELD /nodes/a/calls']],
  [{}, ['INVALID_FIELD /nodes/a']],
])('a tool node with the calls %j has the issues %j', (fields, issues) => {
  expect(issuesOf({ type: 'tool', ...fields })).toEqual(issues);
});

describe('the pinned parts of a run', () => {
  const catalog = aCatalog({
    models: { default: {}, spare: {}, third: {} },
    tools: {
      a: { description: 'a', parameters: {}, effect: 'idempotent', onFailure: 'b' },
      b: { description: 'b', parameters: {}, effect: 'idempotent', onFailure: 'c' },
      c: { description: 'c', parameters: {}, effect: 'idempotent', onFailure: 'a' },
      d: { description: 'd', parameters: {}, effect: 'idempotent', onFailure: 'intervene' },
      e: { description: 'e', parameters: {}, effect: 'idempotent', onFailure: 'tell' },
    },
  });
  const graphOf = (node: NodeDefinition): GraphDefinition => ({ name: 'x', nodes: { n: node }, edges: [] });
  const pinned = (node: NodeDefinition): readonly (readonly string[])[] => {
    const { tools, models } = pinCatalog(graphOf(node), catalog);
    return [Object.keys(tools), Object.keys(models)];
  };

  test.each<[NodeDefinition, readonly (readonly string[])[]]>([
    [{ type: 'agent', prompt: 'x', tools: ['d'] }, [['d'], ['default']]],
    [
      { type: 'agent', prompt: 'x', tools: ['b'], model: ['spare', 'third'] },
      [
        ['a', 'b', 'c'],
        ['spare', 'third'],
      ],
    ],
    [{ type: 'llm', prompt: 'x', tools: ['a', 'e'] }, [['a', 'b', 'c', 'e'], ['default']]],
    [{ type: 'agent', prompt: 'x' }, [[], ['default']]],
    [{ type: 'tool', calls: 'chat', tools: ['e'] }, [['e'], []]],
    [{ type: 'tool', tool: 'd', compensate: { tool: 'a' } }, [['a', 'b', 'c', 'd'], []]],
    [
      { type: 'subgraph', graph: graphOf({ type: 'agent', prompt: 'x', tools: ['e'], model: 'third' }) },
      [['e'], ['third']],
    ],
  ])('a run with the node %j pins the tools and models %j', (node, parts) => {
    expect(pinned(node)).toEqual(parts);
  });
});
