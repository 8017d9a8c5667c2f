import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import type { ToolCallRequest } from '../../src/graph/run/effect.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { asks } from '../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../support/builders/builders.ts';
import { pays } from '../support/builders/undoing.ts';
import { CallFailure, runInMemory } from '../support/doubles/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/doubles/memory-shell.ts';

/* A budget of tool calls counts each call once that was or may have been executed. */

/** An outside whose tools fail once with each of the given failures, and then answer. */
function failingFirst(...failures: readonly CallFailure[]): Outside {
  const left = [...failures];
  return {
    tool: ({ tool }: ToolCallRequest): Json => {
      const failure = left.shift();
      if (failure) throw failure;
      return { receipt: tool };
    },
  };
}

/** Starts a run that may make `maxToolCalls` tool calls. */
const start = (node: NodeDefinition, maxToolCalls: number, outside: Outside): MemoryRun => {
  const definition: GraphDefinition = aDefinition({ nodes: { a: node }, limits: { maxToolCalls } });
  return runInMemory({ definition, catalog: aCatalog(), input: {} }, outside);
};
const calls = (tool: string): NodeDefinition => ({ type: 'tool', tool, args: { key: 'k' } });

const UNKNOWN = new CallFailure('UNKNOWN_OUTCOME', 'lost');
const PERHAPS = new CallFailure('TIMEOUT', 'no answer', false);
const DECLINED = new CallFailure('TOOL_FAILED', 'declined');
const NOT_MADE = new CallFailure('CANCELED', 'The call was canceled before it was made');
const GONE = new CallFailure('TOOL_NOT_FOUND', 'gone');

describe('a call that is repeated under its key counts once', () => {
  test('a call that a person orders again under its key counts once, within a budget of one call', () => {
    const run = start(calls('notify'), 1, failingFirst(UNKNOWN, UNKNOWN));
    run.signal('retry', {});
    run.signal('retry', {});
    expect(run.run).toMatchObject({ status: 'completed', spent: { toolCalls: 1 } });
  });

  test('a call that the retry of its run repeats under its key counts once, within a budget of one call', () => {
    const run = start(calls('charge'), 1, failingFirst(PERHAPS));
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'completed', spent: { toolCalls: 1 } });
  });

  test('a call that an agent repeats under its key counts once, although another call of its turn has been made', () => {
    const agent: NodeDefinition = { type: 'agent', prompt: 'Go', tools: ['notify', 'charge'], approve: {} };
    const requested = [asks(['charge', { key: 'x' }], ['charge', { key: 'y' }])];
    const outside = { ...failingFirst(UNKNOWN), model: () => requested.shift() ?? 'done' };
    const run = start(agent, 2, outside);
    expect(run.run).toMatchObject({ status: 'waiting', spent: { toolCalls: 2 } });
    run.signal('retry', {});
    expect(run.run).toMatchObject({ status: 'completed', spent: { toolCalls: 2 } });
  });
});

test('a failed call counts again when it is repeated, because it has a new key', () => {
  const run = start(calls('charge'), 1, failingFirst(DECLINED));
  run.reopen('retry');
  expect(run.run).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' }, spent: { toolCalls: 1 } });
  run.reopen('retry', { limits: { maxToolCalls: 1 } });
  expect(run.run.spent.toolCalls).toBe(1);
});

test.each([
  ['that was canceled before its start', NOT_MADE],
  ['that its worker refuses', GONE],
])('a call %s was not made and does not count', (_what, failure) => {
  const run = start(calls('charge'), 1, failingFirst(failure));
  expect(run.run).toMatchObject({ status: 'failed', spent: { toolCalls: 0 } });
  run.reopen('retry');
  expect(run.run).toMatchObject({ status: 'completed', spent: { toolCalls: 1 } });
});

test('a compensation of unknown outcome counts once when it is repeated', () => {
  const breaks: NodeDefinition = { type: 'tool', tool: 'lookup', args: { key: 'break' } };
  const definition = aDefinition({ nodes: { a: pays('k'), b: breaks } });
  const failures = [null, DECLINED, UNKNOWN];
  const tool = (): Json => {
    const failure = failures.shift();
    if (failure) throw failure;
    return { receipt: 'r' };
  };
  const run = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool });
  expect(run.run).toMatchObject({ status: 'waiting', spent: { toolCalls: 3 } });
  run.signal('retry', {});
  expect(run.run).toMatchObject({ status: 'failed', spent: { toolCalls: 3 } });
});

test('all possibly executed calls are stored, and the error of the run contains the number of those that it does not name', () => {
  const items = Array.from({ length: 150 }, (_, index) => index);
  const definition = aDefinition({
    channels: { items: { default: items }, log: { reducer: 'append' } },
    nodes: { each: { ...pays('k'), onError: { to: 'b' } }, b: { type: 'tool', tool: 'lookup', args: { key: 'k' } } },
    edges: [
      { from: '__start__', forEach: 'state.items', to: 'each' },
      { from: 'each', to: '__end__' },
    ],
  });
  const tool = (): Json => {
    throw PERHAPS;
  };
  const { run } = runInMemory({ definition, catalog: aCatalog(), input: {} }, { tool });
  expect(run.compensation.perhapsMade).toHaveLength(150);
  const message = run.error?.cause?.message ?? '';
  const named = message.split('; ').length - 1;
  expect(message).toMatch(new RegExp(`; and ${150 - named} more, which the ledger lists`));
});
