import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun as begin } from '../../src/graph/advance/begin-run.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { retryTask } from '../../src/graph/lifecycle/retry-task.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import { Draft } from '../../src/graph/draft/draft.ts';
import { findTask, tasksOfRun, rootFrame } from '../../src/graph/draft/frames.ts';
import type { TaskHandle } from '../../src/graph/draft/frames.ts';
import { moveTo, setTasks, setState } from '../../src/graph/draft/scope-draft.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { addsNames, logOf, startRun } from '../support/builders/runs.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';

const asks = { type: 'approval', title: 'May I?' } as const;
const channels: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  chat: { reducer: 'messages' },
  n: { reducer: 'sum' },
};

describe('a graph', () => {
  test('a graph may have no channels', () => {
    const { channels: _none, ...definition } = aDefinition({ nodes: { a: { type: 'set' } } });
    const { run } = runInMemory({ definition, catalog: aCatalog(), input: {} }, {});
    expect(run).toMatchObject({ status: 'completed', output: {} });
  });

  test('a graph can not be compiled if its subgraph does not exist', () => {
    const definition = aDefinition({ nodes: { s: { type: 'subgraph', graph: 'nowhere' } } });
    expect(() => compileGraph(definition, aCatalog())).toThrow(/no graph of that name/);
  });
});

describe('an entry that the catalog no longer contains', () => {
  test('a function that the catalog no longer contains is called as idempotent', () => {
    const effects: string[] = [];
    const run = startRun(
      { nodes: { f: { type: 'function', function: 'gone' } } },
      {
        function: ({ effect }) => {
          effects.push(effect);
          return null;
        },
      },
    );
    expect([run.run.status, effects]).toEqual(['completed', ['idempotent']]);
  });

  test('a model that the catalog no longer contains is called with the policy of the installation', () => {
    const timeouts: number[] = [];
    const run = startRun(
      { nodes: { l: { type: 'llm', prompt: 'x', model: 'gone' } } },
      {
        model: ({ policy }) => {
          timeouts.push(policy.timeoutMs);
          return 'x';
        },
      },
    );
    expect([run.run.status, timeouts, run.run.spent.costMicros]).toEqual(['completed', [60_000], 0]);
  });
});

test('an error message quotes a null value as null', () => {
  const { run } = startRun({ channels, nodes: { a: { type: 'set', write: { n: null } } } });
  expect(run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', message: expect.stringMatching(/not null/) });
});

describe('a message without an id', () => {
  test('a message without an id may be in the output of a node that a person skips', () => {
    const pays = { type: 'tool', tool: 'charge', args: {}, onError: 'intervene', write: 'chat' } as const;
    const run = startRun({ channels, nodes: { a: pays } });
    run.signal('skip', { output: { role: 'user', content: 'by hand' } });
    expect(run.run).toMatchObject({
      status: 'completed',
      root: { channels: { chat: [{ id: 'run-1.m1', content: 'by hand' }] } },
    });
  });

  test('a message without an id may be written by an edit as a node', () => {
    const run = startRun({ channels, nodes: { ask: asks, ...addsNames('b') } });
    run.signal('edit', { asNode: 'ask', values: { chat: { role: 'user', content: 'hi' } } });
    expect(run.run).toMatchObject({
      status: 'completed',
      root: { channels: { chat: [{ id: 'run-1.m1', content: 'hi' }], log: ['b'] } },
    });
  });
});

test('an edit as a node is refused if its values violate the schema', () => {
  const run = startRun({ channels, nodes: { ask: asks, ...addsNames('b') } });
  run.signal('edit', { asNode: 'ask', values: { n: 'x' } });
  expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'invalid_values' });
  expect(run.run).toMatchObject({ status: 'waiting', approvals: { 'run-1.a1': { status: 'pending' } } });
});

test('a retry of a subgraph repeats only the failed nodes', () => {
  const charges: string[] = [];
  const call = (key: string) => ({ type: 'tool', tool: 'charge', args: { key }, write: { log: key } }) as const;
  const graph = aDefinition({
    nodes: { good: call('good'), bad: call('bad') },
    edges: [{ from: '__start__', to: ['good', 'bad'] }],
  });
  const sub = { type: 'subgraph', graph, onError: 'intervene', write: { log: '{{ result.log }}' } } as const;
  const run = startRun(
    { nodes: { sub } },
    {
      tool: ({ args }) => {
        charges.push(JSON.stringify(args));
        if (charges.length === 1) throw new CallFailure('TOOL_FAILED', 'declined');
        return 'paid';
      },
    },
  );
  expect(run.run.status).toBe('waiting');
  run.signal('retry', { node: 'sub' });
  expect(charges).toEqual(['{"key":"bad"}', '{"key":"good"}', '{"key":"bad"}']);
  expect([run.run.status, logOf(run)]).toEqual(['completed', ['bad', 'good']]);
});

describe('a task', () => {
  const graph = compileGraph(aDefinition({ nodes: { ask: asks } }), aCatalog());
  const identity = {
    id: 'run-1',
    tenantId: 'acme',
    threadId: null,
    graph: { name: 'test', version: null, hash: 'h' },
    createdBy: { sub: 'uma', roles: [] },
    limits: limitsOfGraph({}, DEFAULTS),
  };
  const { run } = begin(graph, identity, { input: {}, startedAt: 0 });

  function openTask(): readonly [Draft, TaskHandle] {
    const draft = new Draft(graph, run, 1);
    const found = findTask(draft, ['ask']);
    if (!found) throw new Error('The run has no such task');
    return [draft, found];
  }

  test('a task of a run is not copied by reads, and a write leaves the earlier run unchanged', () => {
    const before = structuredClone(run);
    const [draft, found] = openTask();
    expect(tasksOfRun(draft).map(({ task }) => task)).toEqual([found.task]);
    expect(draft.run.root).toBe(run.root);
    setState(found, { phase: 'ready' });
    expect(found.task.state).toEqual({ phase: 'ready' });
    expect(run).toEqual(before);
  });

  test('a task is not retried unless it has failed', () => {
    const [draft, found] = openTask();
    retryTask(found);
    expect(draft.run.root).toEqual(run.root);
  });

  test('a task that is not in the run any more accepts no state', () => {
    const [draft, found] = openTask();
    moveTo(found.frame, { kind: 'ready', triggers: [], hasPassedBreakpoint: false });
    expect(() => setState(found, { phase: 'ready' })).toThrow('The task "ask" is gone');
    setTasks(rootFrame(draft), []);
    expect(() => setState(found, { phase: 'ready' })).toThrow('The task "ask" is gone');
  });

  test('a task that was withdrawn with its run ignores its timer', () => {
    const [id = ''] = Object.keys(run.timers);
    const canceled = advance(graph, run, { kind: 'cancel.requested', at: 1 });
    expect(advance(graph, canceled.run, { kind: 'timer', id, at: 2 }).events).toEqual([]);
  });
});
