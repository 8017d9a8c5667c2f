import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { pinCatalog } from '../../../src/graph/definition/pin-catalog.ts';
import { compileBehavior } from '../../../src/graph/nodes/node-compilers.ts';
import type { NodeCallRequest } from '../../../src/graph/run/effect.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';
import { addsNames, logOf } from '../../support/builders/runs.ts';
import { IDLE_TASK } from '../../support/doubles/idle-task.ts';
import { CallFailure, runInMemory } from '../../support/doubles/memory-shell.ts';

const schema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    times: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['url'],
  additionalProperties: false,
} as const;
const catalog = aCatalog({
  nodeTypes: { fetch: { schema, effect: 'keyed', timeout: '5s' }, other: { schema: true, effect: 'unsafe' } },
});

/** A node of the registered type, whose result is added to the log. */
const fetches = (over: JsonObject): NodeDefinition =>
  JSON.parse(JSON.stringify({ type: 'fetch', url: 'x', write: { log: ['{{ result }}'] }, ...over }));

function run(over: JsonObject, node: (request: NodeCallRequest, key: string) => Json) {
  const nodes = { f: fetches(over), ...addsNames('b', 'c') };
  const edges = [
    { from: '__start__', to: 'f' },
    { from: 'f', to: 'b' },
  ];
  return runInMemory({ definition: aDefinition({ nodes, edges }), catalog, input: { log: 'in' } }, { node });
}

describe('a node of a registered type', () => {
  test('a custom node is one call of its code with its fields filled, and the return value is its result', () => {
    const requests: NodeCallRequest[] = [];
    const { run: after, events } = run({ url: '{{ state.log[0] }}', times: 2, deadline: '1m' }, (request) => {
      requests.push(request);
      return { page: 1 };
    });
    expect(requests).toMatchObject([
      {
        nodeType: 'fetch',
        effect: 'keyed',
        config: { url: 'in', times: 2 },
        state: { log: ['in'] },
        run: { id: 'run-1', visit: 1 },
        policy: { timeoutMs: 5_000, deadlineMs: 60_000 },
      },
    ]);
    expect(Object.keys(requests[0]?.config ?? {})).toEqual(['url', 'times']);
    expect(after.output).toEqual({ log: ['in', { page: 1 }, 'b'] });
    expect(events.map(({ type }) => type)).not.toContain('tool.called');
  });

  test('a custom node keeps its execution setting for its own calls', () => {
    const requests: NodeCallRequest[] = [];
    run({ execution: 'activity' }, (request) => {
      requests.push(request);
      return null;
    });
    expect(requests.map(({ config }) => Object.keys(config))).toEqual([['url']]);
  });

  test('a custom node may lead to the nodes of its mayGoto', () => {
    const sent = run({ mayGoto: ['c', 7] }, () => ({ goto: 'c', control: 'replan' }));
    expect(sent.steps).toEqual([['f'], ['c']]);
  });

  test.each([{}, { mayGoto: 'c' }])('a custom node with %j may not lead to other nodes', (over) => {
    const sent = run(over, () => ({ goto: 'c' }));
    expect(sent.run.error).toMatchObject({ code: 'INVALID_GOTO', node: 'f' });
  });

  test('a custom node fails with the code of its failure', () => {
    const fails = run({}, () => {
      throw new CallFailure('FUNCTION_FAILED', 'no');
    });
    expect(fails.run.error).toMatchObject({ code: 'FUNCTION_FAILED', node: 'f' });
    expect(logOf(fails)).toEqual(['in']);
  });

  test('a custom node without an entry in the catalog is not compiled', () => {
    const definition = aDefinition({ nodes: { f: fetches({}) } });
    for (const without of [aCatalog(), aCatalog({ nodeTypes: {} })]) {
      expect(() => runInMemory({ definition, catalog: without, input: {} }, {})).toThrow(/no node type "fetch"/);
    }
  });

  test('a custom node gets null for names that are not in scope', () => {
    const runner = compileBehavior(fetches({}), {
      id: 'f',
      catalog,
      nodes: {},
      defaults: {},
      subgraph: null,
      graphTools: {},
    });
    const requests: unknown[] = [];
    const progress = runner.start({
      ...IDLE_TASK,
      call: (number, request) => {
        requests.push({ number, ...request });
        return 'key';
      },
    });
    expect(requests).toMatchObject([{ number: 0, state: null, run: null }]);
    expect(progress).toEqual({ kind: 'open', position: { kind: 'call', key: 'key', args: { url: 'x' } } });
  });

  test('a custom node is pinned by its run, and other types are not', () => {
    const slice = pinCatalog(aDefinition({ nodes: { f: fetches({}) } }), catalog);
    expect(Object.keys(slice.nodeTypes ?? {})).toEqual(['fetch']);
  });
});

describe('the validation of a node of a registered type', () => {
  const found = (over: JsonObject): string[] => {
    const { name, channels, nodes, edges } = aDefinition({ nodes: { f: fetches(over) } });
    const definition: Json = JSON.parse(JSON.stringify({ name, channels, nodes, edges }));
    return validateGraph(definition, catalog).map(({ code, path }) => `${code} ${path}`);
  };

  test.each<[JsonObject, string[]]>([
    [{}, []],
    [{ times: '{{ 1 + 1 }}', tags: ['{{ "a" }}'] }, []],
    [{ times: 'many' }, ['INVALID_FIELD /nodes/f/times']],
    [{ tags: ['a', 7] }, ['INVALID_FIELD /nodes/f/tags/1']],
    [{ url: 7 }, ['INVALID_FIELD /nodes/f/url']],
    [{ timeout: 'soon' }, ['INVALID_DURATION /nodes/f/timeout']],
    [{ deadline: '0s' }, ['INVALID_DURATION /nodes/f/deadline']],
    [{ deadline: 60 }, ['INVALID_FIELD /nodes/f/deadline']],
    [{ times: '{{ nope }}' }, ['INVALID_TEMPLATE /nodes/f/times']],
    [{ nope: 1 }, ['INVALID_FIELD /nodes/f/nope']],
  ])('the definition of a custom node with %j has the issues %j', (over, expected) => {
    expect(found(over)).toEqual(expected);
  });

  test('a node of an unknown type has an issue with the known types', () => {
    const definition: Json = { name: 'x', nodes: { f: { type: 'fetsh' } }, edges: [{ from: '__start__', to: 'f' }] };
    expect(validateGraph(definition, catalog)[0]?.message).toContain('Did you mean "fetch"');
  });
});
