import { describe, expect, test } from 'vitest';
import { toMermaid, toPlantUml } from '../../../src/graph/diagram/write-diagram.ts';
import { END, InvalidGraphError, START, StateGraph } from '../../../src/index.ts';
import { aCatalog } from '../../support/builders/builders.ts';

const log = (text: string) => ({ type: 'set', write: { log: text } }) as const;

/** Three nodes and no edges. */
const aGraph = () =>
  new StateGraph({ name: 'test', channels: { log: { reducer: 'append' } } })
    .addNode('a', log('a'))
    .addNode('b', log('b'))
    .addNode('c', log('c'));

/** Two nodes in a row, valid. */
const aRow = () =>
  new StateGraph({ name: 'row', channels: { log: { reducer: 'append' } } }).addSequence([
    START,
    ['a', log('a')],
    ['b', log('b')],
    END,
  ]);

function errorOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}

describe('channels and nodes', () => {
  test('channels and nodes are in the built definition unchanged', () => {
    const graph = new StateGraph({ name: 'test', channels: { n: { default: 1 } } })
      .addChannel('log', { reducer: 'append' })
      .addNode('a', log('a'));
    expect(graph.toJSON()).toStrictEqual({
      name: 'test',
      channels: { n: { default: 1 }, log: { reducer: 'append' } },
      nodes: { a: { type: 'set', write: { log: 'a' } } },
      edges: [],
    });
  });

  test('channels and nodes are omitted from the built definition if the graph has none', () => {
    expect(new StateGraph({ name: 'test' }).toJSON()).toStrictEqual({ name: 'test', nodes: {}, edges: [] });
  });

  test('empty channels and nodes of a builder are kept as an empty record', () => {
    expect(new StateGraph({ name: 'test', channels: {} }).toJSON().channels).toEqual({});
  });

  test('a node of a registered type keeps its fields in the built definition', () => {
    const graph = new StateGraph({ name: 'test' }).addNode('a', {
      type: 'scrape',
      url: 'https://x',
      depth: { max: 2 },
    });
    expect(graph.toJSON().nodes).toEqual({ a: { type: 'scrape', url: 'https://x', depth: { max: 2 } } });
  });

  test('duplicate names of nodes and channels that the compiler does not know are refused at run time', () => {
    const id: string = 'a';
    expect(() => aGraph().addNode(id, { type: 'set' }).addNode(id, { type: 'set' })).toThrow(/a node "a" already/);
    expect(() => aGraph().addChannel<string, object>('log', {})).toThrow(/a channel "log" already/);
  });

  test('values that are no JSON are refused when they are passed to the builder', () => {
    expect(() => aGraph().addNode('d', { type: 'scrape', when: () => true })).toThrow(/at \/when/);
  });

  test('channels and nodes are not affected by later changes to arguments or to built definitions', () => {
    const write: Record<string, string> = { log: 'before' };
    const graph = new StateGraph({ name: 'test', channels: { log: {} } }).addNode('a', {
      type: 'scrape',
      fields: write,
    });
    write['log'] = 'after';
    expect(graph.toJSON().nodes).toEqual({ a: { type: 'scrape', fields: { log: 'before' } } });
    expect(graph.toJSON().nodes).not.toBe(graph.toJSON().nodes);
  });
});

describe('edges', () => {
  const edgesOf = (graph: { toJSON(): { edges: unknown } }) => graph.toJSON().edges;

  test.each([
    ['a plain edge', () => aGraph().addEdge('a', 'b'), [{ from: 'a', to: 'b' }]],
    ['several targets', () => aGraph().addEdge(START, ['a', 'b']), [{ from: START, to: ['a', 'b'] }]],
    ['a join', () => aGraph().addEdge(['a', 'b'], 'c'), [{ from: ['a', 'b'], to: 'c' }]],
    ['an entry point', () => aGraph().setEntryPoint('a'), [{ from: START, to: 'a' }]],
    ['a finish point', () => aGraph().setFinishPoint('c'), [{ from: 'c', to: END }]],
    [
      'conditional edges',
      () => aGraph().addConditionalEdges('a', 'state.log[0]', { x: 'b', y: ['b', 'c'] }),
      [{ from: 'a', route: 'state.log[0]', paths: { x: 'b', y: ['b', 'c'] } }],
    ],
    [
      'conditional edges with a default',
      () => aGraph().addConditionalEdges('a', "'x'", { x: 'b' }, END),
      [{ from: 'a', route: "'x'", paths: { x: 'b' }, default: END }],
    ],
    [
      'branches',
      () => aGraph().addBranches('a', [{ when: 'true', to: 'b' }, { to: ['c', END] }]),
      [{ from: 'a', branches: [{ when: 'true', to: 'b' }, { to: ['c', END] }] }],
    ],
    [
      'a map over elements',
      () => aGraph().addForEach('a', 'state.log', 'b'),
      [{ from: 'a', forEach: 'state.log', to: 'b' }],
    ],
    [
      'a map over elements with a maximal concurrency',
      () => aGraph().addForEach('a', 'state.log', 'b', { maxConcurrency: 3 }),
      [{ from: 'a', forEach: 'state.log', to: 'b', maxConcurrency: 3 }],
    ],
  ])('the builder adds edges for %s', (_, build, expected) => {
    expect(edgesOf(build())).toStrictEqual(expected);
  });

  test('addSequence chains new and existing nodes with edges', () => {
    const graph = aGraph().addSequence([START, 'a', ['d', log('d')], ['e', { type: 'scrape', url: 'x' }], 'b', END]);
    expect(Object.keys(graph.toJSON().nodes)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(edgesOf(graph)).toEqual([
      { from: START, to: 'a' },
      { from: 'a', to: 'd' },
      { from: 'd', to: 'e' },
      { from: 'e', to: 'b' },
      { from: 'b', to: END },
    ]);
  });

  test('addSequence with one step adds no edge', () => {
    expect(edgesOf(aGraph().addSequence(['a']))).toEqual([]);
  });
});

describe('the other fields', () => {
  test('the other fields of a definition may be given when the builder is created', () => {
    const settings = {
      $schema: 'https://holdfast.example/graph.json',
      name: 'test',
      description: 'A test',
      input: [],
      output: [],
      limits: { maxSteps: 3 },
      defaults: { model: 'spare' },
    };
    expect(new StateGraph(settings).toJSON()).toStrictEqual({ ...settings, nodes: {}, edges: [] });
  });

  test('the other fields of a definition may be given later, and limits, defaults and interrupts add up', () => {
    const graph = aGraph()
      .input('log')
      .output()
      .limits({ maxSteps: 3 })
      .limits({ deadline: '5m' })
      .defaults({ model: 'spare' })
      .defaults({ timeout: '5s' })
      .interruptBefore('a')
      .interruptBefore('b', 'c')
      .interruptAfter('*');
    expect(graph.toJSON()).toMatchObject({
      input: ['log'],
      output: [],
      limits: { maxSteps: 3, deadline: '5m' },
      defaults: { model: 'spare', timeout: '5s' },
      interruptBefore: ['a', 'b', 'c'],
      interruptAfter: ['*'],
    });
  });
});

describe('compile', () => {
  test('compile() of the builder returns the same definition as JSON.stringify', () => {
    const definition = aRow().compile();
    expect(definition).toStrictEqual({
      name: 'row',
      channels: { log: { reducer: 'append' } },
      nodes: { a: log('a'), b: log('b') },
      edges: [
        { from: START, to: 'a' },
        { from: 'a', to: 'b' },
        { from: 'b', to: END },
      ],
    });
    expect(JSON.stringify(aRow())).toBe(JSON.stringify(definition));
  });

  test('compile() of the builder throws one error with every issue, warnings included', () => {
    const error = errorOf(() =>
      aRow()
        .addNode('d', { type: 'set', write: { log: '{{ state.nope }}' }, onError: { to: 'ghost' } })
        .addBranches('b', [{ when: 'state.log ==', to: 'a' }])
        .compile(),
    );
    expect(error).toBeInstanceOf(InvalidGraphError);
    expect(error).toMatchObject({ code: 'INVALID_GRAPH', name: 'InvalidGraphError' });
    const { issues, message } = error instanceof InvalidGraphError ? error : { issues: [], message: '' };
    expect(issues.map(({ code }) => code).sort()).toEqual([
      'DEAD_END_BRANCH',
      'INVALID_EXPRESSION',
      'UNKNOWN_CHANNEL',
      'UNKNOWN_NODE',
      'UNREACHABLE_NODE',
    ]);
    expect(message).toMatch(/^Graph "row" has 4 errors:\n/);
    for (const { code, path, message: text } of issues) expect(message).toContain(`${code} at ${path}: ${text}`);
  });

  test('compile() of the builder reports the root for an issue without a path', () => {
    const graph = aRow().addChannel('large', { default: 'x'.repeat(1_100_000) });
    expect(() => graph.compile()).toThrow(/^Graph "row" has 1 error:\n- GRAPH_TOO_LARGE at the top: /);
  });

  test('compile() of the builder accepts warnings, which `issues` returns', () => {
    const graph = aRow().addChannel('spare', {});
    expect(graph.compile().channels).toHaveProperty('spare');
    expect(graph.issues().map(({ code, severity }) => [code, severity])).toEqual([['UNUSED_CHANNEL', 'warning']]);
  });

  const calling = () =>
    new StateGraph({ name: 'calling' }).addSequence([
      START,
      ['ask', { type: 'llm', prompt: 'Hello', model: 'nobody' }],
      ['call', { type: 'tool', tool: 'nothing' }],
      ['compute', { type: 'function', function: 'nowhere' }],
      ['scrape', { type: 'scrape' }],
      END,
    ]);

  test('compile() of the builder without a catalog does not check names of tools and models', () => {
    expect(calling().issues()).toEqual([]);
    expect(() => calling().compile()).not.toThrow();
  });

  test('compile() of the builder without a catalog refuses a node type that resembles a built-in one', () => {
    const graph = new StateGraph({ name: 'near' }).addSequence([START, ['call', { type: 'tol' }], END]);
    expect(() => graph.compile()).toThrow(/Did you mean "tool"\? Name a type of your own in `nodeTypes`\./);
    expect(graph.issues().map(({ code, path }) => `${code} ${path}`)).toEqual(['UNKNOWN_NODE_TYPE /nodes/call/type']);
    expect(() => graph.compile({ nodeTypes: ['tol'] })).not.toThrow();
  });

  test('compile() of the builder with a catalog checks names of tools and models', () => {
    const codes = calling()
      .issues({ catalog: aCatalog() })
      .map(({ code, path }) => `${code} ${path}`);
    expect(codes.sort()).toEqual([
      'UNKNOWN_FUNCTION /nodes/compute/function',
      'UNKNOWN_MODEL /nodes/ask/model',
      'UNKNOWN_NODE_TYPE /nodes/scrape/type',
      'UNKNOWN_TOOL /nodes/call/tool',
    ]);
    expect(() => calling().compile({ catalog: aCatalog() })).toThrow(InvalidGraphError);
  });
});

describe('successors', () => {
  const graph = aGraph()
    .addNode('jump', { type: 'function', function: 'f', mayGoto: ['c', 'later', END], onError: { to: 'a' } })
    .addNode('later', { type: 'set', onError: 'intervene' })
    .addNode('router', { type: 'function', function: 'f' })
    .addEdge(START, ['b', 'a'])
    .addEdge(['a', 'b'], 'c')
    .addEdge('a', END)
    .addBranches('a', [{ when: 'true', to: ['later', 'jump'] }, { to: 'c' }])
    .addConditionalEdges('b', "'x'", { x: 'jump', y: ['later', 'a'] }, 'b')
    .addConditionalEdges('router', "'x'", { x: 'a' })
    .addForEach('later', 'state.log', 'router');

  test.each([
    [START, ['a', 'b']],
    ['a', ['c', 'jump', 'later']],
    ['b', ['a', 'b', 'c', 'jump', 'later']],
    ['c', []],
    ['jump', ['a', 'c', 'later']],
    ['later', ['router']],
    ['router', ['a']],
  ] as const)('successors of %s are found by edges, onError and mayGoto', (id, expected) => {
    expect(graph.successors(id)).toEqual(expected);
  });
});

test('the diagrams that a builder returns are those of its definition', () => {
  expect(aRow().toMermaid()).toBe(toMermaid(aRow().compile()));
  expect(aRow().toPlantUml()).toBe(toPlantUml(aRow().compile()));
});
