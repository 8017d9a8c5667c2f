import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { asks, says } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, logOf, startRun } from '../support/builders/runs.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

const HOUR = 3_600_000;
const args = { key: 'k' };
const pays = { type: 'tool', tool: 'charge', args, write: { log: '{{ result }}' } } as const;
const may = { type: 'approval', title: 'May I?' } as const;
const waits = { type: 'wait', event: 'go' } as const;

function hourly(over: Partial<GraphDefinition>, more: object = {}): NodeDefinition {
  return { type: 'subgraph', graph: aDefinition(over), deadline: '1h', write: { log: '{{ result.log }}' }, ...more };
}

interface Play {
  readonly run: MemoryRun;
  /** Lets the open calls return. */
  readonly answer: () => void;
  readonly asked: string[];
}

/** Plays a run whose calls only return when they are released. */
function play(over: Partial<GraphDefinition>, answers: Outside): Play {
  let isOpen = false;
  const asked: string[] = [];
  const tool: Outside['tool'] = (request, key) => {
    asked.push(key);
    return (answers.tool ?? (() => 'paid'))(request, key);
  };
  const run = startRun(over, { ...answers, tool, next: () => (isOpen ? 0 : null) });
  return {
    run,
    asked,
    answer() {
      isOpen = true;
      run.signal('event', { event: 'look' });
      isOpen = false;
    },
  };
}

const canceled: Outside = {
  tool: () => {
    throw new CallFailure('CANCELED', 'The call was canceled');
  },
};

const typesSince = ({ events }: MemoryRun, seq: number): string[] =>
  events.filter((event) => event.seq > seq && event.type !== 'signal.received').map(({ type }) => type);

describe('a subgraph whose deadline expires during open calls', () => {
  const both = { nodes: { pay: pays, ask: may, w: waits }, edges: [{ from: '__start__', to: ['pay', 'ask', 'w'] }] };

  test('a subgraph whose deadline expires during open calls reports the failure at once, withdraws its approvals, and has failed after the calls have returned', () => {
    const { run, answer } = play({ nodes: { sub: hourly(both) } }, {});
    const before = run.run.counters.seq;
    run.passTime(HOUR);
    expect(typesSince(run, before)).toEqual(['node.failed']);
    expect(run.run).toMatchObject({ status: 'running', error: null, timers: {} });
    expect(run.run.approvals['run-1.a1']?.status).toBe('canceled');
    expect(toRunView(run.run).waitingFor).toEqual([]);
    answer();
    expect(typesSince(run, before)).toEqual(['node.failed', 'tool.called', 'node.failed', 'run.failed']);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'TIMEOUT', node: 'sub' } });
  });

  test('a subgraph whose deadline expires during open calls cancels its own calls, and no others', () => {
    const nodes = { sub: hourly({ nodes: { pay: pays } }), other: pays };
    const definition = aDefinition({ nodes, edges: [{ from: '__start__', to: ['sub', 'other'] }] });
    const catalog = aCatalog();
    const graph = compileGraph(definition, catalog);
    const { run, out } = runInMemory({ definition, catalog, input: {} }, { next: () => null });
    const [id = ''] = Object.keys(run.timers);
    const inside = out.find(({ isCancelable }) => isCancelable);
    expect(out.map(({ node, isCancelable }) => [node, isCancelable])).toEqual([
      ['other', undefined],
      ['pay', true],
    ]);
    const late = advance(graph, run, { kind: 'timer', id, at: run.timers[id]?.fireAt ?? 0 });
    expect(late.effects).toEqual([{ kind: 'cancel.call', key: inside?.key }]);
  });

  test('a subgraph whose deadline expires during open calls begins nothing new until the calls return, and accepts no event and no decision', () => {
    const nodes = {
      a: pays,
      b: adds('b'),
      w: waits,
      i: { ...pays, args: {}, onError: 'intervene' },
      c: pays,
    } satisfies GraphDefinition['nodes'];
    const edges = [
      { from: '__start__', to: ['a', 'w', 'i'] },
      { from: ['a', 'w', 'i'], to: 'c' },
    ];
    const { run, answer, asked } = play({ nodes: { sub: hourly({ nodes: { ...nodes }, edges }) } }, {});
    expect(toRunView(run.run).waitingFor).toHaveLength(2);
    run.passTime(HOUR);
    run.signal('event', { event: 'go', payload: 1 });
    expect(run.run.bufferedEvents).toEqual([{ name: 'go', payload: 1 }]);
    run.signal('skip', { output: 1 });
    expect(run.events.at(-1)).toMatchObject({ type: 'signal.ignored', reason: 'not_allowed_now' });
    answer();
    expect([run.run.status, asked.length]).toEqual(['failed', 1]);
  });

  test('a subgraph whose deadline expires during open calls follows its onError only after the calls have returned', () => {
    const nodes = { sub: hourly({ nodes: { pay: pays } }, { onError: { to: 'z' } }), z: adds('z') };
    const { run, answer } = play({ nodes, edges: [{ from: '__start__', to: 'sub' }] }, {});
    run.passTime(HOUR);
    expect(logOf(run)).toEqual([]);
    answer();
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['z']]);
  });

  test('the calls of a subgraph whose deadline expires keep their results: they are compensated with the run, and counted once', () => {
    const pay = { ...pays, compensate: { tool: 'lookup', args: { key: '{{ result }}' } } } as const;
    const { run, answer, asked } = play({ nodes: { sub: hourly({ nodes: { pay } }) } }, {});
    run.passTime(HOUR);
    answer();
    expect(run.events.map(({ type }) => type)).toContain('node.compensated');
    expect([run.run.status, asked.length, run.run.spent.toolCalls]).toEqual(['failed', 2, 2]);
  });

  test.each<[string, Outside]>([
    ['have returned', {}],
    ['were canceled', canceled],
  ])(
    'a subgraph whose deadline expired requests its calls again under their keys on a retry, and counts each once: the calls %s',
    (_what, answers) => {
      let tool = answers.tool ?? (() => 'paid');
      const nodes = { sub: hourly({ nodes: { pay: pays } }, { onError: 'intervene' }) };
      const { run, answer, asked } = play({ nodes }, { tool: (request, key) => tool(request, key) });
      run.passTime(HOUR);
      answer();
      expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'sub' }]);
      tool = () => 'paid';
      run.signal('retry', {});
      expect(run.out).toMatchObject([{ key: asked[0], takeover: 1 }]);
      answer();
      expect([run.run.status, logOf(run), run.run.spent.toolCalls]).toEqual(['completed', ['paid'], 1]);
    },
  );

  test('a subgraph whose deadline expires keeps the results of an agent that has several calls', () => {
    const turns = [asks(['lookup', args], ['charge', args]), says('fine')];
    const agent = { type: 'agent', prompt: 'Go', tools: ['lookup', 'charge'] } as const;
    let isOpen = 1;
    const outside: Outside = {
      model: () => turns.shift() ?? says(''),
      tool: ({ tool }) => tool,
      next: () => (isOpen-- > 0 ? 0 : null),
    };
    const run = startRun({ nodes: { sub: hourly({ nodes: { agent } }, { onError: 'intervene' }) } }, outside);
    expect(run.out).toHaveLength(2);
    run.passTime(HOUR);
    isOpen = 9;
    run.signal('event', { event: 'look' });
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'sub' }]);
    run.signal('retry', {});
    expect(run.run).toMatchObject({ status: 'completed', spent: { toolCalls: 2, modelCalls: 2 } });
  });

  test('a call of unknown outcome in a subgraph whose deadline expired waits for a person, also after a retry', () => {
    const lost: Outside = {
      tool: () => {
        throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
      },
    };
    const nodes = { sub: hourly({ nodes: { pay: { ...pays, tool: 'notify' } } }, { onError: 'intervene' }) };
    const { run, answer } = play({ nodes }, lost);
    run.passTime(HOUR);
    answer();
    expect(toRunView(run.run).waitingFor).toMatchObject([{ node: 'sub' }]);
    run.signal('retry', {});
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'pay' }]);
    expect(run.out).toEqual([]);
    run.signal('skip', { output: 'sent' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['sent']]);
  });

  test('a subgraph whose deadline expired continues in a run that has ended meanwhile, with a new deadline', () => {
    const { run, answer } = play({ nodes: { sub: hourly({ nodes: { pay: pays } }) }, limits: { deadline: '61m' } }, {});
    run.passTime(HOUR);
    run.passTime(60_000);
    expect(run.run.phase).toMatchObject({ kind: 'failing', error: { code: 'DEADLINE_EXCEEDED' } });
    answer();
    expect(run.run.error?.code).toBe('DEADLINE_EXCEEDED');
    run.reopen('retry');
    expect(Object.keys(run.run.timers)).toHaveLength(2);
    answer();
    expect([run.run.status, logOf(run), run.run.spent.toolCalls]).toEqual(['completed', ['paid'], 1]);
  });

  test('a subgraph whose deadline expired during open calls is canceled with its run', () => {
    const { run, answer } = play({ nodes: { sub: hourly({ nodes: { pay: pays } }) } }, {});
    run.passTime(HOUR);
    run.signal('cancel', {});
    answer();
    expect(run.run.status).toBe('canceled');
  });

  test('a subgraph whose deadline expires also fails if it contains another subgraph that failed before', () => {
    const low = hourly({ nodes: { pay: pays } }, { deadline: '59m', onError: { to: 'x' } });
    const graph = { nodes: { low, x: adds('x') }, edges: [{ from: '__start__', to: 'low' }] };
    const { run, answer } = play({ nodes: { top: hourly(graph, { onError: 'intervene' }) } }, {});
    run.passTime(HOUR - 60_000);
    run.passTime(60_000);
    const failed = run.events.flatMap((event) => (event.type === 'node.failed' ? [event.node] : []));
    expect(failed).toEqual(['low', 'top']);
    answer();
    expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'top' }]);
    run.signal('retry', {});
    answer();
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['paid']]);
  });
});

describe('an unknown outcome inside a subgraph whose deadline has expired', () => {
  const lost: Outside = {
    tool: () => {
      throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
    },
  };
  const toolCalls = [{ id: 'c', name: 'charge', args }];
  const chat = { reducer: 'messages', default: [{ id: 'm', role: 'assistant', content: '', toolCalls }] } as const;
  const channels = { chat, log: { reducer: 'append' } } as const;

  test.each<[string, GraphDefinition['nodes'], number]>([
    ['an open call', { pay: pays }, 1],
    ['one of several open calls', { pay: { type: 'tool', calls: 'chat', tools: ['charge'] } }, 1],
    ['a call that waits for a person already, beside another open node', { pay: pays, w: waits }, 0],
  ])(
    'a subgraph with an unknown outcome at its deadline waits for a person, whatever its onError is: %s',
    (_what, nodes, out) => {
      const inside = { channels, nodes, edges: [{ from: '__start__', to: Object.keys(nodes) }] };
      const sub = hourly(inside, { onError: { to: 'z' } });
      const { run, answer } = play({ nodes: { sub, z: adds('z') } }, lost);
      if (out === 0) answer();
      expect(run.out).toHaveLength(out);
      run.passTime(HOUR);
      answer();
      expect(run.run.status).toBe('waiting');
      expect(toRunView(run.run).waitingFor).toMatchObject([{ kind: 'intervention', node: 'sub' }]);
      run.signal('skip', { node: 'sub', output: { log: [] }, by: { sub: 'ada', roles: ['admin'] } });
      expect([run.run.status, logOf(run)]).toEqual(['completed', ['z']]);
    },
  );
});
