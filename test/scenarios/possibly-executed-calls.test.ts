import { describe, expect, test } from 'vitest';
import type { ToolEntry } from '../../src/graph/definition/catalog.ts';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { asks as requests } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { startRun } from '../support/builders/runs.ts';
import { asks, breaks, pays } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

const causeOf = ({ run }: MemoryRun) => run.error?.cause;
const perhaps = (...names: readonly string[]) => ({
  code: 'UNKNOWN_OUTCOME',
  message: `Not compensated: ${names.map((name) => `${name} may have been made`).join('; ')}`,
});

/**
 * Calls of a tool time out a given number of times; nothing tells if they were executed. Calls with the key "break"
 * fail.
 */
function timingOut(times = Number.POSITIVE_INFINITY, slow = 'charge'): Outside & { readonly calls: readonly string[] } {
  const calls: string[] = [];
  let timeouts = 0;
  return {
    calls,
    tool: ({ tool, args }, key) => {
      calls.push(`${tool} ${key}`);
      if (JSON.stringify(args).includes('break')) throw new CallFailure('TOOL_FAILED', 'broken');
      if (tool === slow && ++timeouts <= times) throw new CallFailure('TIMEOUT', 'no answer', false);
      return { receipt: 'r1' };
    },
  };
}

const charge: NodeDefinition = { type: 'tool', tool: 'charge', args: { key: 'k' } };
const start = (nodes: GraphDefinition['nodes'], outside: Outside): MemoryRun => startRun({ nodes }, outside);

describe('a call that was possibly executed', () => {
  test.each([
    ['keyed', 'charge', charge],
    ['with a compensation', 'charge', pays('one')],
    ['idempotent, with a compensation', 'lookup', { ...pays('one'), tool: 'lookup' }],
  ])('a possibly executed call is listed in the error of the run that fails with it: %s', (_what, tool, pay) => {
    const run = start({ pay }, timingOut(Number.POSITIVE_INFINITY, tool));
    const error = { code: 'TIMEOUT', node: 'pay', cause: perhaps(`pay: the call of ${tool}`) };
    expect(run.run).toMatchObject({ status: 'failed', error });
    expect(run.events.at(-1)).toMatchObject({ type: 'run.failed', error });
  });

  test('a call that was possibly executed is listed in the error of a run that fails later, after its graph has continued', () => {
    const run = start({ pay: { ...charge, onError: { to: 'c' } }, c: breaks }, timingOut());
    expect(run.run.error).toMatchObject({ node: 'c', cause: perhaps('pay: the call of charge') });
  });

  test('a call that was possibly executed is listed in the error of a run that is canceled later', () => {
    const run = start({ pay: { ...charge, onError: { to: 'ask' } }, ask: asks }, timingOut());
    run.signal('cancel', {});
    expect(run.run).toMatchObject({ status: 'canceled', error: { code: 'CANCELED' } });
    expect(causeOf(run)).toEqual(perhaps('pay: the call of charge'));
  });

  test('a possibly executed call is listed together with the failed compensations', () => {
    const undone: NodeDefinition = { ...pays('one'), tool: 'lookup', compensate: { tool: 'gone' } };
    const run = start({ a: undone, pay: charge }, timingOut());
    expect(causeOf(run)).toEqual({
      code: 'COMPENSATION_FAILED',
      message: `Not compensated: pay: the call of charge may have been made; a: Tool not found: gone`,
    });
  });

  test('a possibly executed call is not reported by a run that completes', () => {
    const run = start({ pay: { ...charge, onError: { to: 'done' } }, done: { type: 'set' } }, timingOut());
    expect(run.run).toMatchObject({ status: 'completed', error: null });
  });

  test('a possibly executed call is listed with its list element, inside a subgraph', () => {
    const graph = aDefinition({
      name: 'inside',
      channels: { items: { default: ['x', 'y'] } },
      nodes: { each: charge },
      edges: [{ from: '__start__', forEach: 'state.items', to: 'each' }],
    });
    const run = start({ sub: { type: 'subgraph', graph } }, timingOut());
    expect(causeOf(run)?.message).toMatch(/: sub\/each\[0\]: the call.*; sub\/each\[1\]: the call/);
  });

  test('a possibly executed call is listed in the error of its run if a model has requested the call', () => {
    const agent: NodeDefinition = { type: 'agent', prompt: 'Pay', tools: ['charge'] };
    let turns = 0;
    const model = () => (turns++ === 0 ? requests(['charge', { key: 'k' }]) : 'done');
    const run = start({ agent, c: breaks }, { ...timingOut(), model });
    expect(causeOf(run)).toEqual(perhaps('agent: the call of charge'));
  });

  test('the error of a run keeps its other cause beside a possibly executed call', () => {
    const nodes = { pay: charge, c: breaks };
    const edges = [{ from: '__start__', to: ['pay', 'c'] }];
    const run = startRun({ nodes, edges }, timingOut());
    expect(causeOf(run)?.message).toMatch(/^Not compensated: pay: .* may have been made\. TIMEOUT: Also: no answer$/);
  });
});

describe('a call that is open when its run ends', () => {
  const catalog = aCatalog({ functions: { transfer: { effect: 'keyed' } } });

  /** Starts a run whose calls return when it ends: canceled, and possibly executed. */
  function endWhileOut(pay: NodeDefinition, end: (run: MemoryRun) => void): MemoryRun {
    let isEnding = false;
    const canceled = (): never => {
      throw new CallFailure('CANCELED', 'The call was canceled, and may have been made', false);
    };
    const outside: Outside = { next: () => (isEnding ? 0 : null), tool: canceled, function: canceled };
    const definition = aDefinition({ nodes: { pay }, limits: { deadline: '1m' } });
    const run = runInMemory({ definition, catalog, input: {} }, outside);
    isEnding = true;
    end(run);
    return run;
  }
  const error = { code: 'CANCELED', message: 'The call was canceled, and may have been made' };

  test.each<[string, string, (run: MemoryRun) => void]>([
    ['canceled', 'CANCELED', (run) => run.signal('cancel', {})],
    ['failed', 'DEADLINE_EXCEEDED', (run) => run.passTime(60_000)],
  ])(
    "a call that is open when its run is %s is listed in the run's error, and has its own event",
    (status, code, end) => {
      const run = endWhileOut(charge, end);
      expect(run.run).toMatchObject({ status, error: { code, cause: perhaps('pay: the call of charge') } });
      expect(run.events).toContainEqual(expect.objectContaining({ type: 'tool.called', tool: 'charge', error }));
    },
  );

  test('a call that is open when its run ends is recorded for functions as for tools', () => {
    const run = endWhileOut({ type: 'function', function: 'transfer' }, (open) => open.signal('cancel', {}));
    expect(causeOf(run)).toEqual(perhaps('pay: the call of transfer'));
    expect(run.events).toContainEqual(
      expect.objectContaining({ type: 'function.called', function: 'transfer', error: expect.objectContaining(error) }),
    );
  });
});

describe('a call whose outcome is known by now is no longer listed', () => {
  test('a possibly executed call is no longer listed after a retry has found its result under the same key, and is compensated', () => {
    const outside = timingOut(1);
    const run = start({ pay: pays('one'), c: breaks }, outside);
    run.reopen('retry');
    expect(run.run.error).toMatchObject({ code: 'TOOL_FAILED', node: 'c' });
    expect(causeOf(run)).toBeUndefined();
    expect(new Set(outside.calls.filter((call) => call.startsWith('charge'))).size).toBe(1);
    expect(run.events.map(({ type }) => type)).toContain('node.compensated');
  });

  test.each(['skip', 'fail'])(
    'a possibly executed call is no longer listed after a person settled it: %s',
    (signal) => {
      const run = start({ pay: { ...charge, onError: 'intervene' }, c: breaks }, timingOut());
      run.signal(signal, signal === 'skip' ? { output: null } : {});
      expect(run.run.status).toBe('failed');
      expect(causeOf(run)).toBeUndefined();
    },
  );

  test('a possibly executed call is no longer listed after it turns out to have failed', () => {
    let tries = 0;
    const tool = (): Json => {
      throw ++tries === 1 ? new CallFailure('TIMEOUT', 'no answer', false) : new CallFailure('TOOL_FAILED', 'declined');
    };
    const run = start({ pay: charge }, { tool });
    run.reopen('retry');
    expect(run.run.error).toMatchObject({ code: 'TOOL_FAILED' });
    expect(causeOf(run)).toBeUndefined();
  });
});

test('an idempotent call is not listed among possibly executed calls', () => {
  const tool = (): Json => {
    throw new CallFailure('TIMEOUT', 'no answer', false);
  };
  const run = start({ look: { type: 'tool', tool: 'lookup', args: { key: 'k' } } }, { tool });
  expect(run.run.error?.code).toBe('TIMEOUT');
  expect(causeOf(run)).toBeUndefined();
});

test('an unsafe call of the last node of a canceled run is listed if its outcome is unknown', () => {
  const tool = (): Json => {
    throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
  };
  const bye: NodeDefinition = { type: 'tool', tool: 'notify', args: { key: 'bye' } };
  const nodes = { ask: asks, bye };
  const run = startRun({ nodes, edges: [{ from: '__start__', to: 'ask' }], onCancel: 'bye' }, { tool });
  run.signal('cancel', {});
  expect(run.run.status).toBe('canceled');
  expect(causeOf(run)).toEqual(perhaps('bye: the call of notify'));
});

test('an unsafe call of unknown outcome stays listed if its repetition is refused', () => {
  const charge: ToolEntry = { description: 'Charge', parameters: {}, effect: 'unsafe', roles: ['user'] };
  const catalog = aCatalog({ tools: { charge } });
  const tool = (): Json => {
    throw new CallFailure('UNKNOWN_OUTCOME', 'lost');
  };
  const definition = aDefinition({ nodes: { pay: { type: 'tool', tool: 'charge', args: {} } } });
  const run = runInMemory({ definition, catalog, input: {} }, { tool });
  run.signal('retry', { by: { sub: 'ben', roles: ['guest'] } });
  expect(run.run.error).toMatchObject({ code: 'TOOL_FAILED', cause: perhaps('pay: the call of charge') });
});
