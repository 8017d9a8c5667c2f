import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { aDefinition } from '../support/builders/builders.ts';
import {
  adds,
  addsNames,
  failing,
  gives,
  logOf,
  functionsThatGive,
  startRun,
  typesOf,
} from '../support/builders/runs.ts';
import { CallFailure } from '../support/doubles/memory-shell.ts';

const asks = { type: 'approval', title: 'May I?', write: { log: '{{ result.decision }}' } } as const;
const pays = { type: 'tool', tool: 'charge', args: { key: 'k' }, write: { log: '{{ result }}' } } as const;

type Sub = NodeDefinition & { readonly type: 'subgraph' };

const refuse = (): never => {
  throw new CallFailure('TOOL_FAILED', 'declined');
};

/** A node with a graph inside, whose log is added to the log. */
function inside(over: Partial<GraphDefinition>, more: Partial<Sub> = {}): Sub {
  return { type: 'subgraph', graph: aDefinition(over), write: { log: '{{ result.log }}' }, ...more };
}

describe('a subgraph', () => {
  test('a subgraph exchanges only its input and its output with its parent', () => {
    const graph = aDefinition({
      channels: { n: { reducer: 'sum', default: 1 }, log: { reducer: 'append' }, secret: { default: 's' } },
      nodes: { x: { type: 'set', write: { n: 10, log: '{{ state.n }}{{ run.graph }}{{ run.step }}' } } },
      output: ['n', 'log'],
      name: 'child',
    });
    const sub = { type: 'subgraph', graph, input: { n: '{{ 2 }}' }, write: { log: ['{{ result }}'] } } as const;
    expect(logOf(startRun({ nodes: { sub } }))).toEqual([{ n: 13, log: ['3child0'] }]);
  });

  test('a subgraph node without write leaves its parent unchanged', () => {
    const { type, graph } = inside({});
    expect(logOf(startRun({ nodes: { sub: { type, graph } } }))).toEqual([]);
  });

  test('subgraphs can be nested three levels deep, and the path of an event names all of them', () => {
    const deep = inside({ nodes: { mid: inside({ nodes: { low: inside({ nodes: { leaf: adds('leaf') } }) } }) } });
    const run = startRun({ nodes: { top: deep } });
    expect(logOf(run)).toEqual(['leaf']);
    const leaf = run.events.find((event) => 'node' in event && event.node === 'leaf');
    expect(leaf?.path).toEqual(['top', 'mid', 'low']);
  });

  test('a forEach over a subgraph runs it once for each element, in parallel', () => {
    const child = aDefinition({
      channels: { log: { reducer: 'append' }, item: {} },
      nodes: { ask: { ...asks, title: '{{ state.item }}', write: { log: '{{ state.item }}: {{ result.decision }}' } } },
    });
    const sub = {
      type: 'subgraph',
      graph: child,
      input: { item: '{{ item }}' },
      write: { log: '{{ result.log }}' },
    } as const;
    const run = startRun({ nodes: { sub }, edges: [{ from: '__start__', forEach: "['x', 'y']", to: 'sub' }] });
    run.signal('reject', { approvalId: 'run-1.a2' });
    run.signal('approve', { approvalId: 'run-1.a1' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['x: approved', 'y: rejected']]);
  });

  test('a subgraph requests approvals, and the run view contains their location', () => {
    const run = startRun({ nodes: { sub: inside({ nodes: { ask: asks } }) } });
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'approval', node: 'ask', id: 'run-1.a1' }]);
    run.signal('approve', {});
    expect(logOf(run)).toEqual(['approved']);
  });

  test.each([
    ['retry', {}, ['paid']],
    ['skip', { output: 'by hand' }, ['by hand']],
  ] as const)('a subgraph may have a failed node inside that waits for a person: %s', (...[signal, payload, log]) => {
    let calls = 0;
    const tool = () => (calls++ === 0 ? refuse() : 'paid');
    const run = startRun({ nodes: { sub: inside({ nodes: { pay: { ...pays, onError: 'intervene' } } }) } }, { tool });
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'pay', id: 'sub.1.0/pay:1' }]);
    run.signal(signal, { id: 'sub.1.0/pay:1', ...payload });
    expect([run.run.status, logOf(run)]).toEqual(['completed', log]);
  });

  test('an external event reaches a wait node inside a subgraph', () => {
    const wait = { type: 'wait', event: 'go', write: { log: '{{ result }}' } } as const;
    const run = startRun({ nodes: { sub: inside({ nodes: { wait } }) } });
    run.signal('event', { event: 'go', payload: 'gone' });
    expect(logOf(run)).toEqual(['gone']);
  });

  test.each([[{ interruptBefore: ['b'] }], [{ interruptAfter: ['a'] }], [{ interruptAfter: ['b'] }]])(
    'a subgraph stops at its own breakpoints %j',
    (over) => {
      const run = startRun({ nodes: { sub: inside({ nodes: addsNames('a', 'b'), ...over }), c: adds('c') } });
      expect(run.run.status).toBe('paused');
      run.signal('resume', {});
      expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'b', 'c']]);
    },
  );

  test('a breakpoint inside a subgraph lets its siblings finish first', () => {
    const sub = inside({ nodes: addsNames('a'), interruptBefore: ['a'] });
    const run = startRun(
      { nodes: { sub, pay: pays }, edges: [{ from: '__start__', to: ['pay', 'sub'] }] },
      { tool: () => 'paid' },
    );
    expect(run.run.status).toBe('paused');
    run.signal('resume', {});
    expect(logOf(run)).toEqual(['paid', 'a']);
  });

  test('a function inside a subgraph may pause the run', () => {
    const sub = inside({ nodes: { f: gives({ control: 'pause', update: { log: 'f' } }), a: adds('a') } });
    const run = startRun({ nodes: { sub } }, functionsThatGive);
    expect(run.events.at(-1)).toMatchObject({ type: 'run.paused', by: 'f' });
    run.signal('resume', {});
    expect(logOf(run)).toEqual(['f', 'a']);
  });
});

describe('a failure inside a subgraph', () => {
  test('a failure inside a subgraph becomes the failure of the parent node, with its code', () => {
    const { run } = startRun({ nodes: { sub: inside({ nodes: { pay: pays } }) } }, failing);
    expect(run.error).toMatchObject({ code: 'TOOL_FAILED', node: 'sub' });
  });

  test('a failure inside a subgraph follows the onError of the parent node', () => {
    const sub = inside({ nodes: { pay: pays } }, { onError: { to: 'other', write: { log: '{{ error.code }}' } } });
    const run = startRun({ nodes: { sub, other: adds('other') }, edges: [{ from: '__start__', to: 'sub' }] }, failing);
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['TOOL_FAILED', 'other']]);
  });

  test('a failure inside a subgraph lets the nodes beside it finish', () => {
    const child: Partial<GraphDefinition> = {
      nodes: { bad: { ...adds('{{ state.log[3] }}') }, ask: asks },
      edges: [{ from: '__start__', to: ['bad', 'ask'] }],
    };
    const run = startRun({ nodes: { sub: inside(child) } });
    expect(run.run.status).toBe('waiting');
    run.signal('approve', {});
    expect(run.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'sub' });
  });

  test('a subgraph that exceeds its own maxSteps may be caught by the onError of the parent node', () => {
    const sub = inside({ nodes: addsNames('a', 'b'), limits: { maxSteps: 1 } }, { onError: { to: 'other' } });
    const run = startRun({
      nodes: { sub, other: adds('other') },
      edges: [{ from: '__start__', to: 'sub' }],
      limits: { maxSteps: 2 },
    });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['other']]);
    const free = inside({ nodes: addsNames('a', 'b', 'c'), limits: { maxSteps: 3 } });
    expect(startRun({ nodes: { sub: free }, limits: { maxSteps: 1 } }).run.status).toBe('completed');
  });

  test.each([
    [{ log: { reducer: 'append' }, n: { reducer: 'sum' } }, { n: 'x' }, 'CHANNEL_SCHEMA_VIOLATION'],
    [{ log: { reducer: 'append' }, n: { schema: { type: 'number' } } }, { n: '{{ "x" }}' }, 'CHANNEL_SCHEMA_VIOLATION'],
  ] as const)('a subgraph may fail because of its input: %j %j', (...[channels, input, code]) => {
    expect(startRun({ nodes: { sub: inside({ channels }, { input }) } }).run.error).toMatchObject({
      code,
      node: 'sub',
    });
  });

  test('a subgraph may fail because of an edge of its start', () => {
    const edges: GraphDefinition['edges'] = [{ from: '__start__', route: "'x'", paths: { y: 'a' } }];
    expect(startRun({ nodes: { sub: inside({ edges }) } }).run.error).toMatchObject({
      code: 'INVALID_ROUTE',
      node: 'sub',
    });
  });

  test('a call of unknown outcome inside a subgraph that a person fails ends the run as failed', () => {
    const tool = (): never => {
      throw new CallFailure('UNKNOWN_OUTCOME', 'nobody knows');
    };
    const run = startRun({ nodes: { sub: inside({ nodes: { pay: pays } }) } }, { tool });
    expect(run.run.status).toBe('waiting');
    run.signal('fail', { node: 'pay' });
    expect([run.run.status, typesOf(run).at(-1)]).toEqual(['failed', 'run.failed']);
  });
});

describe('the keys of calls inside a subgraph', () => {
  test('the keys of calls inside a subgraph differ between visits of the parent', () => {
    const keys: string[] = [];
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'sub' },
      { from: 'sub', branches: [{ when: 'size(state.log) < 3', to: 'sub' }] },
    ];
    const tool = (_: unknown, key: string) => (keys.push(key), 'paid');
    startRun({ nodes: { sub: inside({ nodes: { pay: pays } }) }, edges }, { tool });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(3);
  });

  test('the keys of calls inside a subgraph differ after a retry of the parent, for a call that is known to have failed', () => {
    const keys: string[] = [];
    const tool = (_: unknown, key: string) => {
      if (keys.push(key) === 1) throw new CallFailure('TOOL_FAILED', 'declined');
      return 'paid';
    };
    const run = startRun({ nodes: { sub: inside({ nodes: { pay: pays } }, { onError: 'intervene' }) } }, { tool });
    run.signal('retry', { node: 'sub' });
    expect([run.run.status, new Set(keys).size]).toEqual(['completed', 2]);
  });

  test('the keys of calls inside a subgraph are distinct from a timer and an intervention of another visit', () => {
    const edges: GraphDefinition['edges'] = [
      { from: '__start__', to: 'sub' },
      { from: 'sub', branches: [{ when: 'size(state.log) < 2', to: 'sub' }] },
    ];
    const wait = { type: 'wait', for: '1h', write: { log: 'x' } } as const;
    const run = startRun({ nodes: { sub: inside({ nodes: { wait } }) }, edges });
    const [first] = Object.keys(run.run.timers);
    run.passTime(3_600_000);
    const [second] = Object.keys(run.run.timers);
    expect(second).toBeDefined();
    expect(second).not.toBe(first);
  });
});
