import { describe, expect, test } from 'vitest';
import { advance } from '../../src/graph/advance/advance.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { CEILINGS } from '../../src/graph/definition/limits.ts';
import { limitsOfGraph, limitsOfRun, tighten } from '../../src/graph/run/limits.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { adds, startRun, typesOf } from '../support/builders/runs.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import { shown } from '../support/readers/shown-run.ts';

const pays = { type: 'tool', tool: 'charge', args: { key: 'k' } } as const;
const thinks = { type: 'llm', prompt: 'Hello' } as const;
const asks = { type: 'approval', title: 'May I?' } as const;
const outside = { tool: () => 'paid', model: () => 'hello' };

describe('a budget', () => {
  test.each([
    [{ maxToolCalls: 2 }, { a: pays, b: pays }, 'completed', ''],
    [{ maxToolCalls: 1 }, { a: pays, b: pays }, 'failed', 'maxToolCalls'],
    [{ maxToolCalls: 0 }, { a: thinks, b: pays }, 'failed', 'maxToolCalls'],
    [{ maxTokens: 22 }, { a: thinks, b: thinks }, 'completed', ''],
    [{ maxTokens: 21 }, { a: thinks, b: thinks }, 'failed', 'maxTokens'],
    [{ maxTokens: 15 }, { a: thinks, b: pays }, 'completed', ''],
    [{ maxCostUsd: 0.000_028 }, { a: thinks, b: thinks }, 'completed', ''],
    [{ maxCostUsd: 0.000_027 }, { a: thinks, b: thinks }, 'failed', 'maxCostUsd'],
    [{ maxCostUsd: 0 }, { a: thinks, b: pays }, 'failed', 'maxCostUsd'],
  ])('a run with the budget %j and the nodes %j ends as %s', (...[limits, nodes, status, name]) => {
    const { run } = startRun({ nodes, limits }, outside);
    expect(run.status).toBe(status);
    expect(run.error?.code).toBe(status === 'failed' ? 'BUDGET_EXCEEDED' : undefined);
    expect(run.error?.message ?? '').toContain(name);
  });

  test('a budget of tool calls counts open calls and failed calls', () => {
    const nodes = { a: pays, b: pays };
    const side = startRun(
      { nodes, edges: [{ from: '__start__', to: ['a', 'b'] }], limits: { maxToolCalls: 1 } },
      outside,
    );
    expect(side.run.error).toMatchObject({ code: 'BUDGET_EXCEEDED', node: 'b' });
    expect(side.run.spent.toolCalls).toBe(1);
    const tool = (): never => {
      throw new CallFailure('TOOL_FAILED', 'declined');
    };
    const row = startRun(
      {
        nodes: { a: { ...pays, onError: { to: 'b' } }, b: pays },
        edges: [{ from: '__start__', to: 'a' }],
        limits: { maxToolCalls: 1 },
      },
      { tool },
    );
    expect(row.run.error?.code).toBe('BUDGET_EXCEEDED');
  });

  test('a budget is shared by subgraphs, and onError does not catch its failure', () => {
    const sub = {
      type: 'subgraph',
      graph: aDefinition({ nodes: { a: pays, b: pays } }),
      onError: { to: 'c' },
    } as const;
    const { run } = startRun(
      { nodes: { sub, c: adds('c') }, edges: [{ from: '__start__', to: 'sub' }], limits: { maxToolCalls: 1 } },
      outside,
    );
    expect(run.error).toMatchObject({ code: 'BUDGET_EXCEEDED', node: 'sub' });
  });

  test('a budget counts the usage of a failed model', () => {
    const model = (): never => {
      throw new CallFailure('MODEL_FAILED', 'no');
    };
    const run = startRun({ nodes: { a: thinks } }, { model });
    expect(run.run.spent).toMatchObject({ modelCalls: 1, inputTokens: 0 });
    expect(typesOf(run)).toContain('model.called');
  });

  test('a budget of calls counts models without a price', () => {
    const { run } = startRun({ nodes: { a: { ...thinks, model: 'spare' } } }, outside);
    expect(run.spent).toMatchObject({ costMicros: 0, modelCalls: 1, inputTokens: 10, outputTokens: 5 });
  });
});

describe('a deadline', () => {
  const limits = { deadline: '1h' };

  test('the deadline of a run ends it while it waits for an event', () => {
    const run = startRun({ nodes: { w: { type: 'wait', event: 'go' } }, limits });
    run.passTime(3_600_000);
    expect(run.run).toMatchObject({ status: 'failed', timers: {}, error: { code: 'DEADLINE_EXCEEDED' } });
  });

  test.each([
    ['an approval', { a: asks }],
    ['an intervention', { a: { ...pays, args: {}, onError: 'intervene' } }],
    ['an approval in a subgraph', { a: { type: 'subgraph', graph: aDefinition({ nodes: { b: asks } }) } }],
  ] as const)('the deadline of a run stops while the run waits for %s, and continues afterwards', (...[, nodes]) => {
    const run = startRun({
      nodes: { w: { type: 'wait', for: '30m' }, ...nodes, x: { type: 'wait', event: 'go' } },
      limits,
    });
    run.passTime(1_800_000);
    expect(run.run.countdown).toMatchObject({ leftMs: expect.closeTo(1_800_000, -2), runsSince: null });
    run.passTime(86_400_000);
    expect([run.run.status, Object.keys(run.run.timers)]).toEqual([
      'waiting',
      Object.keys(run.run.timers).filter((id) => id !== 'deadline'),
    ]);
    run.signal('approve', {});
    run.signal('skip', { output: 'x' });
    expect(run.run.countdown?.runsSince).not.toBeNull();
    run.passTime(1_700_000);
    expect(run.run.status).toBe('waiting');
    run.passTime(100_000);
    expect(run.run.error?.code).toBe('DEADLINE_EXCEEDED');
  });

  test('the deadline of a run stops while the run is paused', () => {
    const run = startRun({ nodes: { w: { type: 'wait', event: 'go' } }, limits });
    run.signal('pause', {});
    run.passTime(86_400_000);
    expect(run.run.status).toBe('paused');
    run.signal('resume', {});
    run.passTime(3_600_000);
    expect(run.run.error?.code).toBe('DEADLINE_EXCEEDED');
  });

  test('the deadline of a run continues while an approval is pending beside other open nodes', () => {
    const nodes = { a: asks, w: { type: 'wait', event: 'go' } } as const;
    const run = startRun({ nodes, edges: [{ from: '__start__', to: ['a', 'w'] }], limits });
    run.passTime(3_600_000);
    expect(run.run).toMatchObject({ status: 'failed', approvals: { 'run-1.a1': { status: 'canceled' } } });
  });
});

describe('canceling', () => {
  const definition = aDefinition({ nodes: { a: pays, b: pays }, limits: { deadline: '1h' } });
  const graph = compileGraph(definition, aCatalog());

  /** A run whose first call is open. */
  const called = () => {
    const seen: ReturnType<typeof runInMemory>[] = [];
    const at = Date.parse('2026-01-02T03:04:06.000Z');
    let before = null as ReturnType<typeof runInMemory>['run'] | null;
    const tool = () => ((before ??= seen[0]?.run ?? null), 'paid');
    const run = runInMemory(
      {
        definition: aDefinition({
          ...definition,
          nodes: { ask: asks, ...definition.nodes },
          edges: [
            { from: '__start__', to: 'ask' },
            { from: 'ask', to: 'a' },
            { from: 'a', to: 'b' },
          ],
        }),
        catalog: aCatalog(),
        input: {},
      },
      { tool },
    );
    seen.push(run);
    run.signal('approve', {});
    if (!before) throw new Error('Nothing was called');
    return { run: before, at };
  };

  test('canceling a run waits for the open calls, and signals are ignored meanwhile', () => {
    const { run, at } = called();
    const canceled = advance(graph, run, { kind: 'cancel.requested', at });
    expect(shown(canceled.run)).toMatchObject({
      status: 'running',
      phase: { kind: 'canceling', by: 'temporal-operator' },
    });
    expect(canceled.effects.map(({ kind }) => kind)).toContain('cancel.calls');
    const again = advance(graph, canceled.run, { kind: 'cancel.requested', at });
    expect(again.effects).toEqual([]);
    const refused = advance(graph, again.run, { kind: 'signal', name: 'pause', payload: {}, at });
    expect(refused.events).toMatchObject([{ type: 'signal.ignored', reason: 'not_allowed_now' }]);
    const [key = ''] = Object.keys(run.calls);
    const reply = { kind: 'value', value: 'paid' } as const;
    const done = advance(graph, refused.run, { kind: 'call.completed', key, reply, attempts: 1, durationMs: 1, at });
    expect(shown(done.run)).toMatchObject({ status: 'canceled', calls: {}, timers: {} });
    expect(done.events.map(({ type }) => type)).toEqual(['tool.called', 'run.canceled']);
    expect(advance(graph, done.run, { kind: 'continue', at }).events).toEqual([]);
  });

  test('a run that is being canceled ignores repeated cancellations and late timers', () => {
    const { run, at } = called();
    const failure = { callFailed: true, error: { code: 'TOOL_FAILED', message: 'no' } } as const;
    for (const late of [
      { kind: 'timer', id: 'nothing' },
      { kind: 'timer', id: '__proto__' },
      { kind: 'call.failed', key: 'nothing', failure },
      { kind: 'call.completed', key: 'nothing', reply: { kind: 'value', value: 1 }, attempts: 1, durationMs: 1 },
      { kind: 'continue' },
    ] as const) {
      const after = advance(graph, run, { ...late, at });
      expect(after.events).toEqual([]);
      expect(after.run).toEqual(run);
    }
  });
});

describe('the limits of a run', () => {
  test('the limits of a run are those of its graph, or else of the installation', () => {
    expect(limitsOfGraph(undefined, DEFAULTS)).toEqual({ maxSteps: 25, maxConcurrency: 100 });
    expect(limitsOfGraph({ maxConcurrency: 300, deadline: '1m', maxTokens: 3 }, DEFAULTS)).toEqual({
      maxSteps: 25,
      maxConcurrency: 300,
      deadlineMs: 60_000,
      maxTokens: 3,
    });
    expect(limitsOfGraph({}, { ...DEFAULTS, deadline: '1s' })).toMatchObject({ deadlineMs: 1_000 });
  });

  test('the limits of a run may be tightened, and looser ones are reported', () => {
    const limits = limitsOfGraph({ maxSteps: 5, deadline: '1m' }, DEFAULTS);
    expect(tighten(limits, { maxSteps: 3, deadline: '1s', maxTokens: 9 })).toEqual({
      limits: { ...limits, maxSteps: 3, deadlineMs: 1_000, maxTokens: 9 },
      loose: [],
    });
    expect(tighten(limits, { maxSteps: 6, deadline: '2m' }).loose).toEqual([
      { name: 'maxSteps', asked: 6, allowed: 5 },
      { name: 'deadline', asked: 120_000, allowed: 60_000 },
    ]);
    expect(tighten(limits, {}).limits).toEqual(limits);
  });

  test('a limit above the ceiling of the installation is refused with the name of the ceiling', () => {
    const catalog = { defaults: DEFAULTS, ceilings: CEILINGS };
    const asked = { maxSteps: 10_001, maxConcurrency: 101 };
    expect(limitsOfRun({ definition: {}, catalog }, asked).refusal).toMatchObject({
      code: 'LIMIT_TOO_LOOSE',
      issues: [
        {
          path: '/limits/maxSteps',
          message:
            "A run may not go beyond its graph's limits: 10001 is over 25, and this installation allows 10000 (ceilings.maxSteps)",
        },
        { path: '/limits/maxConcurrency', message: "A run may not go beyond its graph's limits: 101 is over 100" },
      ],
    });
  });
});
