import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../../src/graph/definition/definition.ts';
import type { CallEffect } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';
import { addsNames, gives, logOf, functionsThatGive, startRun, typesOf } from '../../support/builders/runs.ts';
import type { MemoryRun } from '../../support/doubles/memory-shell.ts';
import { runShuffled } from '../../support/readers/shuffled-run.ts';

const nodes = addsNames('b', 'c', 'd');
const edges: GraphDefinition['edges'] = [
  { from: '__start__', to: 'a' },
  { from: 'a', to: 'b' },
];

function start(give: Parameters<typeof gives>[0], over: object = {}, rest: Partial<GraphDefinition> = {}): MemoryRun {
  const a = { ...gives(give, ['c', 'd']), ...over };
  return startRun({ nodes: { ...nodes, a }, edges, ...rest }, functionsThatGive);
}

describe('the return value of a function', () => {
  test.each<[Json, Json]>([
    ['text', 'text'],
    [null, null],
    [7, 7],
    [{}, {}],
    [{ reason: 'only' }, { reason: 'only' }],
    [
      { goto: 'c', other: 1 },
      { goto: 'c', other: 1 },
    ],
  ])('the return value %j of a function is its result', (...[give, result]) => {
    const run = startRun({ nodes: { a: { ...gives(give), write: { log: ['{{ result }}'] } } } }, functionsThatGive);
    expect(logOf(run)).toEqual([result]);
  });

  test('a function that returns an update writes through the reducers, and the write of the node is added', () => {
    const channels = { log: { reducer: 'append' }, other: {} } as const;
    const run = start({ update: { log: 'x' } }, { write: { other: '{{ result }}' } }, { channels });
    expect(run.run.root.channels).toEqual({ log: ['x', 'b'], other: null });
  });

  test('a function that returns an update does not run a write of the whole result', () => {
    expect(logOf(start({ update: { log: 'x' } }, { write: 'log' }))).toEqual(['x', 'b']);
  });

  test.each([
    [{ goto: 'c' }, [['a'], ['b', 'c']]],
    [{ goto: ['c', 'd'] }, [['a'], ['b', 'c', 'd']]],
    [{ goto: '__end__' }, [['a'], ['b']]],
    [{ goto: [], control: 'continue' }, [['a'], ['b']]],
    [{ goto: 'c', control: 'replan' }, [['a'], ['c']]],
    [{ goto: '__end__', control: 'replan' }, [['a']]],
  ])('a function that returns %j leads to %j', (...[give, steps]) => {
    const run = start(give);
    expect([run.run.status, run.steps]).toEqual(['completed', steps]);
  });

  test.each([
    [{ goto: 'b' }, 'INVALID_GOTO'],
    [{ goto: 'toString' }, 'INVALID_GOTO'],
    [{ goto: 7 }, 'INVALID_GOTO'],
    [{ goto: null }, 'INVALID_GOTO'],
    [{ goto: ['c', null] }, 'INVALID_GOTO'],
    [{ control: 'replan' }, 'INVALID_GOTO'],
    [{ control: 'stop' }, 'FUNCTION_FAILED'],
    [{ control: null }, 'FUNCTION_FAILED'],
    [{ update: 'x' }, 'FUNCTION_FAILED'],
    [{ update: null }, 'FUNCTION_FAILED'],
    [{ update: { nope: 1 } }, 'CHANNEL_SCHEMA_VIOLATION'],
    [{ control: 'abort' }, 'ABORTED'],
    [{ control: 'abort', reason: 'enough' }, 'ABORTED'],
    [{ control: 'abort', reason: 7 }, 'ABORTED'],
  ] as const)('a function that returns %j fails with %s', (...[give, code]) => {
    const { run } = start(give);
    expect(run).toMatchObject({ status: 'failed', error: { code, node: 'a' } });
  });

  test.each<Json>([{ control: 'abort' }, { update: { log: 'x' } }, { goto: 'c' }])(
    'the return value %j of a function is a plain result if the code marks it as one',
    (value) => {
      const a = { ...gives(null, ['c']), write: { log: ['{{ result }}'] } };
      const definition = aDefinition({ nodes: { ...nodes, a }, edges });
      const reply = { kind: 'value', value, isPlain: true } as const;
      const answer = ({ key }: CallEffect) =>
        ({ kind: 'call.completed', key, reply, attempts: 1, durationMs: 1 }) as const;
      const { run } = runShuffled({ definition, catalog: aCatalog(), choose: () => 0, answer });
      expect([run.status, run.root.channels['log']]).toEqual(['completed', [value, 'b']]);
    },
  );

  test('a function that returns a goto without mayGoto is refused', () => {
    expect(start({ goto: 'c' }, { mayGoto: undefined }).run.error?.message).toMatch(/nothing/);
  });

  test.each([
    [{ goto: 'x' }, 'completed', ['INVALID_GOTO', 'd']],
    [{ control: 'abort' }, 'failed', []],
  ] as const)('a function that returns %j in a node with onError makes the run %s', (...[give, status, log]) => {
    const run = start(give, { onError: { to: 'd', write: { log: '{{ error.code }}' } } });
    expect([run.run.status, logOf(run)]).toEqual([status, log]);
  });

  test('a function that returns a pause stops the run after the superstep', () => {
    const run = start({ control: 'pause', reason: 'look' });
    expect(run.run.status).toBe('paused');
    expect(run.events.at(-1)).toMatchObject({ type: 'run.paused', by: 'a', reason: 'look', nodes: [] });
    run.signal('resume', {});
    expect(run.run.status).toBe('completed');
    expect(run.steps).toEqual([['a'], ['b']]);
  });

  test('a function that returns a goto in addition to an edge to the same node runs the node once', () => {
    const both: GraphDefinition['edges'] = [...edges, { from: 'a', to: 'c' }];
    expect(start({ goto: 'c' }, {}, { edges: both }).steps).toEqual([['a'], ['b', 'c']]);
  });

  test('a function that returns a replan keeps the edges of its siblings', () => {
    const run = startRun(
      {
        nodes: { ...nodes, a: gives({ goto: 'd', control: 'replan' }, ['d']) },
        edges: [
          { from: '__start__', to: ['a', 'b'] },
          { from: 'a', to: 'c' },
          { from: 'b', to: 'c' },
        ],
      },
      functionsThatGive,
    );
    expect(run.steps).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(typesOf(run)).not.toContain('node.failed');
  });
});
