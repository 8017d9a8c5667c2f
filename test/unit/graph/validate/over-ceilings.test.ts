import { describe, expect, test } from 'vitest';
import { CEILINGS, NO_CEILINGS } from '../../../../src/graph/definition/limits.ts';
import type { GraphDefinition } from '../../../../src/graph/definition/definition.ts';
import { validateGraph } from '../../../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../../support/builders/builders.ts';

const ceilings = {
  ...CEILINGS,
  maxSteps: 50,
  attempts: 4,
  timeout: '90s',
  superstepTasks: 6,
  openCallsPerRun: 8,
};
const nodeTypes = { own: { schema: true, effect: 'idempotent' } } as const;

const pays = { type: 'tool', tool: 'charge', args: { key: 'k' } } as const;
const each = { from: 'a', forEach: '[1]', to: 'b' } as const;

/** A graph of two nodes with some fields replaced. */
function aGraph(over: object, node: object = pays): Json {
  const nodes = { a: { type: 'set', write: { log: 'a' } }, b: node };
  return toJson({ ...aDefinition(), nodes, edges: [{ from: '__start__', to: 'a' }, each], ...over });
}

function errorsOf(definition: Json, graphs: Record<string, GraphDefinition> = {}) {
  const issues = validateGraph(definition, aCatalog({ ceilings, nodeTypes, graphs }));
  return issues.flatMap(({ code, severity, path, message }) => (severity === 'error' ? [{ code, path, message }] : []));
}

const edges = (maxConcurrency: number): object => ({
  edges: [
    { from: '__start__', to: 'a' },
    { ...each, maxConcurrency },
  ],
});

interface Bounded {
  readonly field: string;
  readonly just: Json;
  readonly tooMuch: Json;
  readonly path: string;
  readonly message: string;
}

const ofNode = (fields: object): Json => aGraph({}, { ...pays, ...fields });
const ofOwnType = (timeout: string): Json => aGraph({}, { type: 'own', timeout });

/** The largest allowed and a too large value of each field. */
const FIELDS: readonly Bounded[] = [
  {
    field: 'supersteps',
    just: aGraph({ limits: { maxSteps: 50 } }),
    tooMuch: aGraph({ limits: { maxSteps: 51 } }),
    path: '/limits/maxSteps',
    message: 'maxSteps is 51; this installation allows 50 (ceilings.maxSteps)',
  },
  {
    field: 'open calls',
    just: aGraph({ limits: { maxConcurrency: 8 } }),
    tooMuch: aGraph({ limits: { maxConcurrency: 9 } }),
    path: '/limits/maxConcurrency',
    message: 'maxConcurrency is 9; this installation allows 8 (ceilings.openCallsPerRun)',
  },
  {
    field: 'open elements',
    just: aGraph(edges(6)),
    tooMuch: aGraph(edges(7)),
    path: '/edges/1/maxConcurrency',
    message: 'maxConcurrency is 7; this installation allows 6 (ceilings.superstepTasks)',
  },
  {
    field: 'attempts by default',
    just: aGraph({ defaults: { retry: { maxAttempts: 4 } } }),
    tooMuch: aGraph({ defaults: { retry: { maxAttempts: 5 } } }),
    path: '/defaults/retry/maxAttempts',
    message: 'maxAttempts is 5; this installation allows 4 (ceilings.attempts)',
  },
  {
    field: 'a time-out by default',
    just: aGraph({ defaults: { timeout: '1.5m' } }),
    tooMuch: aGraph({ defaults: { timeout: '2m' } }),
    path: '/defaults/timeout',
    message: 'timeout is 2m; this installation allows 90s (ceilings.timeout)',
  },
  {
    field: 'attempts of a node',
    just: ofNode({ retry: { maxAttempts: 4 } }),
    tooMuch: ofNode({ retry: { maxAttempts: 1e9, initialInterval: '0ms' } }),
    path: '/nodes/b/retry/maxAttempts',
    message: 'maxAttempts is 1000000000; this installation allows 4 (ceilings.attempts)',
  },
  {
    field: 'the time-out of a node',
    just: ofNode({ timeout: '90s' }),
    tooMuch: ofNode({ timeout: '7d' }),
    path: '/nodes/b/timeout',
    message: 'timeout is 7d; this installation allows 90s (ceilings.timeout)',
  },
  {
    field: 'the time-out of a node of a registered type',
    just: ofOwnType('90000ms'),
    tooMuch: ofOwnType('90001ms'),
    path: '/nodes/b/timeout',
    message: 'timeout is 90001ms; this installation allows 90s (ceilings.timeout)',
  },
];

describe('a graph that exceeds a ceiling of the installation', () => {
  test.each(FIELDS)(
    'a graph that exceeds a ceiling of the installation has an issue: $field',
    ({ just, tooMuch, path, message }) => {
      expect(errorsOf(just)).toEqual([]);
      expect(errorsOf(tooMuch)).toEqual([{ code: 'INVALID_FIELD', path, message }]);
    },
  );

  test('a graph that exceeds several ceilings has issues of all its fields at once', () => {
    const greedy = aGraph({ limits: { maxSteps: 1e15, maxConcurrency: 1e6 }, defaults: { timeout: '1d' } });
    expect(errorsOf(greedy).map(({ path }) => path)).toEqual([
      '/limits/maxSteps',
      '/limits/maxConcurrency',
      '/defaults/timeout',
    ]);
  });

  test('a graph that exceeds the ceilings is accepted if no installation is known', () => {
    const greedy = aGraph({ limits: { maxSteps: 1e15, maxConcurrency: 1e6 } }, { ...pays, timeout: '36500d' });
    const catalog = aCatalog({ ceilings: NO_CEILINGS });
    expect(validateGraph(greedy, catalog).filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

test.each([
  { type: 'approval', title: 'May I?', timeout: '7d' },
  { type: 'wait', event: 'paid', timeout: '30d' },
])('the ceiling of waits for people and events is higher than that of calls: $type', (node) => {
  expect(errorsOf(aGraph({}, node))).toEqual([]);
});

describe('a graph inside', () => {
  const greedy = aDefinition({ name: 'greedy', limits: { maxSteps: 51 } });
  const parentOf = (graph: unknown): Json => aGraph({}, { type: 'subgraph', graph });

  test('an inner graph above a ceiling has its issues at its own path', () => {
    expect(errorsOf(parentOf(greedy)).map(({ path }) => path)).toEqual(['/nodes/b/graph/limits/maxSteps']);
  });

  test.each<[string, Record<string, GraphDefinition>, string]>([
    ['was published under a higher ceiling', { greedy }, 'greedy'],
    [
      'references a graph published under a higher ceiling',
      { greedy, between: aDefinition({ name: 'between', nodes: { in: { type: 'subgraph', graph: 'greedy' } } }) },
      'between',
    ],
    [
      'contains a graph that exceeds a ceiling',
      { holder: aDefinition({ name: 'holder', nodes: { in: { type: 'subgraph', graph: greedy } } }) },
      'holder',
    ],
  ])('an inner graph is checked against the ceilings if it %s', (_what, graphs, name) => {
    const message = 'In "greedy" at /limits/maxSteps: maxSteps is 51; this installation allows 50 (ceilings.maxSteps)';
    expect(errorsOf(parentOf(name), graphs)).toEqual([{ code: 'INVALID_FIELD', path: '/nodes/b/graph', message }]);
  });
});
