import { describe, expect, test } from 'vitest';
import type { OnErrorDefinition } from '../../src/graph/definition/common-fields.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

function start(over: Partial<GraphDefinition>, outside: Outside = {}): MemoryRun {
  return runInMemory({ definition: aDefinition(over), catalog: aCatalog(), input: {} }, outside);
}

const adds = (text: string) => ({ type: 'set', write: { log: text } }) as const;
const types = ({ events }: MemoryRun): string[] => events.map(({ type }) => type);

describe('a superstep', () => {
  test('a superstep applies the writes of parallel branches in the order of their nodes, in any order of completion', () => {
    const { run, steps } = start({
      nodes: { fork: adds('fork'), b: adds('b'), a: adds('a'), join: adds('join') },
      edges: [
        { from: '__start__', to: 'fork' },
        { from: 'fork', to: ['b', 'a'] },
        { from: ['b', 'a'], to: 'join' },
      ],
    });
    expect(steps).toEqual([['fork'], ['a', 'b'], ['join']]);
    expect(run.output).toEqual({ log: ['fork', 'a', 'b', 'join'] });
  });

  test('a superstep refuses two writes of a replace channel as a conflict, and keeps neither', () => {
    const { run } = start({
      channels: { log: {} },
      nodes: { a: adds('a'), b: adds('b') },
      edges: [{ from: '__start__', to: ['a', 'b'] }],
    });
    expect(run).toMatchObject({ status: 'failed', error: { code: 'INVALID_CONCURRENT_GRAPH_UPDATE' } });
    expect(run.error?.message).toMatch(/a and b both write/);
    expect(run.root.channels).toEqual({ log: null });
  });

  test.each([
    [3, 'completed'],
    [2, 'failed'],
  ])('each superstep counts towards maxSteps: with %i allowed, a run of three nodes is %s', (maxSteps, status) => {
    const run = start({ nodes: { a: adds('a'), b: adds('b'), c: adds('c') }, limits: { maxSteps } });
    expect(run.run.status).toBe(status);
    expect(run.run.error?.code).toBe(status === 'failed' ? 'GRAPH_RECURSION_LIMIT' : undefined);
    expect(run.steps).toHaveLength(maxSteps);
  });

  test('a superstep saves a checkpoint, and so does the input of the run before', () => {
    const { checkpoints } = start({ nodes: { a: adds('a'), b: adds('b') } });
    expect(checkpoints.map(({ source, step, next }) => [source, step, next])).toEqual([
      ['input', -1, ['a']],
      ['loop', 0, ['b']],
      ['loop', 1, []],
    ]);
  });
});

describe('a node that fails', () => {
  const charging = (onError: OnErrorDefinition): Partial<GraphDefinition> => ({
    channels: { log: { reducer: 'append' }, error: {} },
    nodes: {
      pay: { type: 'tool', tool: 'charge', args: { key: 'k' }, onError },
      other: adds('other'),
      after: adds('after'),
    },
    edges: [
      { from: '__start__', to: 'pay' },
      { from: 'pay', to: 'after' },
    ],
  });
  const refused = {
    tool: (): never => {
      throw new CallFailure('TOOL_FAILED', 'declined');
    },
  };

  test('a node that fails ends the run as failed by default', () => {
    const { run } = start({ nodes: { pay: { type: 'tool', tool: 'charge', args: { key: 'k' } } } }, refused);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'TOOL_FAILED', node: 'pay' } });
  });

  test('a node that fails leads to its onError, with its error in a channel', () => {
    const run = start(charging({ to: 'other', write: { error: '{{ error.code }}' } }), refused);
    expect(run.steps).toEqual([['pay'], ['other']]);
    expect(run.run.root.channels).toMatchObject({ error: 'TOOL_FAILED', log: ['other'] });
  });

  test('a node that fails with onError intervene waits for a person, who retries it', () => {
    let calls = 0;
    const run = start(charging('intervene'), { tool: () => (calls++ === 0 ? refused.tool() : 'paid') });
    expect(run.run.status).toBe('waiting');
    run.signal('retry', { node: 'pay', by: { sub: 'ada', roles: ['approver'] } });
    expect(run.steps).toEqual([['pay'], ['after']]);
    expect(run.run.status).toBe('completed');
  });
});

describe('an unknown outcome', () => {
  const notifying = {
    nodes: { tell: { type: 'tool', tool: 'notify', args: { key: 'k' }, write: { log: '{{ result }}' } } },
  } as const;
  const lostOnce = (): Outside => {
    let calls = 0;
    return {
      tool: () => {
        if (calls++ === 0) throw new CallFailure('UNKNOWN_OUTCOME', 'nobody knows');
        return 'done';
      },
    };
  };

  test.each([
    ['retry', {}, 'completed', ['done']],
    ['skip', { output: 'by hand' }, 'completed', ['by hand']],
    ['fail', { reason: 'it was not' }, 'failed', null],
  ] as const)('a call of unknown outcome waits for a person, who may %s', (...[signal, payload, status, log]) => {
    const run = start(notifying, lostOnce());
    expect(run.run.status).toBe('waiting');
    run.signal(signal, { node: 'tell', by: { sub: 'ada', roles: ['approver'] }, ...payload });
    expect(run.run.status).toBe(status);
    expect(run.run.output).toEqual(log && { log });
  });
});

test.each([
  ['nonsense', {}],
  ['approve', 'text'],
  ['approve', { approvalId: 7 }],
  ['approve', { approvalId: 'nothing' }],
  ['retry', { node: 'ask' }],
  ['skip', { node: 'nobody', output: {} }],
])('the invalid signal %s %j is recorded as ignored, and nothing else changes', (name, payload) => {
  const run = start({ nodes: { ask: { type: 'approval', title: 'May I?' } } });
  const before = run.run.root;
  run.signal(name, payload);
  expect(types(run).at(-1)).toBe('signal.ignored');
  expect(run.run.root).toEqual(before);
  run.signal('approve', { by: { sub: 'ada', roles: ['approver'] } });
  expect(run.run.status).toBe('completed');
});

test('canceling a run withdraws its approvals, and no node begins afterwards', () => {
  const run = start({ nodes: { ask: { type: 'approval', title: 'May I?' }, next: adds('next') } });
  run.signal('cancel', { reason: 'no longer needed', by: { sub: 'uma', roles: ['user'] } });
  expect(run.run).toMatchObject({
    status: 'canceled',
    approvals: { 'run-1.a1': { status: 'canceled' } },
    timers: {},
  });
  expect(run.run.endedAt).not.toBeNull();
  run.signal('approve', {});
  expect(run.steps).toEqual([['ask']]);
  expect(types(run).at(-1)).toBe('run.canceled');
});

test('an approval that nobody decides expires, and its policy determines the result', () => {
  const run = start({ nodes: { ask: { type: 'approval', title: 'May I?', timeout: '1h', onTimeout: 'reject' } } });
  run.passTime(3_600_000);
  expect(types(run)).toContain('approval.expired');
});
