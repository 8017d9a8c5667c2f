import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition.ts';
import type { Json } from '../../src/graph/json.ts';
import { toRunView } from '../../src/graph/run-view.ts';
import { asks, says } from '../support/agents.ts';
import { aCatalog, aDefinition } from '../support/builders.ts';
import { CallFailure, runInMemory } from '../support/memory-shell.ts';
import type { MemoryRun, Outside } from '../support/memory-shell.ts';
import { addsNames, logOf } from '../support/runs.ts';

/*
 * What each interpreter does otherwise than the one before, and that this one does it still: runs that it has begun go on
 * under it. Room in the budgets that models are asked in: `nodes/agent-budgets.test.ts`, `nodes/model-room.test.ts`.
 */

const channels: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  chat: { reducer: 'messages' },
  total: { reducer: 'sum' },
};

function runUnder(version: number, over: Partial<GraphDefinition>, outside: Outside = {}): MemoryRun {
  const catalog = aCatalog();
  return runInMemory({ version, definition: aDefinition({ channels, ...over }), catalog, input: {} }, outside);
}

const args = { key: 'k' };
const chatOf = ({ run }: MemoryRun): Json | undefined => run.root.channels['chat'];

describe('a node that writes to the channel of its conversation', () => {
  const next = { role: 'user', content: 'next?' };
  const said = { role: 'assistant', content: 'fine' };
  const nodesWith = (write: Json): GraphDefinition['nodes'] => ({
    first: { type: 'set', write: { chat: { role: 'user', content: 'hi' } } },
    ask: { type: 'agent', messages: 'chat', tools: ['lookup'], write: { chat: write } },
  });
  const talking = (): Outside => {
    const replies = [asks(['lookup', { key: 'a' }]), says('fine')];
    return { model: () => replies.shift() ?? says(''), tool: () => 'found' };
  };

  test('writes after it', () => {
    const run = runUnder(2, { nodes: nodesWith(next) }, talking());
    expect(chatOf(run)).toMatchObject([{ content: 'hi' }, { role: 'assistant' }, { role: 'tool' }, said, next]);
  });

  test('may write several messages, or begin anew', () => {
    const several = runUnder(2, { nodes: nodesWith([next, next]) }, talking());
    expect(chatOf(several)).toHaveLength(6);
    const anew = runUnder(2, { nodes: nodesWith({ $replace: [next] }) }, talking());
    expect(chatOf(anew)).toMatchObject([next]);
  });

  test('says its reply once, where it writes that itself', () => {
    const run = runUnder(2, { nodes: nodesWith('{{ result.message }}') }, talking());
    expect(chatOf(run)).toMatchObject([{ content: 'hi' }, { role: 'assistant' }, { role: 'tool' }, said]);
  });

  test('has written in its place', () => {
    const run = runUnder(1, { nodes: nodesWith(next) }, talking());
    expect(chatOf(run)).toMatchObject([{ content: 'hi' }, next]);
  });
});

describe('`$replace` of a channel of messages', () => {
  const user = { role: 'user', content: 'hi' };
  const writing = (value: Json): Partial<GraphDefinition> => ({
    nodes: { a: { type: 'set', write: { chat: { $replace: value } } } },
  });

  test('gives them ids', () => {
    expect(chatOf(runUnder(2, writing([user, user])))).toEqual([
      { id: 'run-1.m1', ...user },
      { id: 'run-1.m2', ...user },
    ]);
    expect(chatOf(runUnder(1, writing([user])))).toEqual([user]);
  });

  test('is what a default is', () => {
    const chat = { reducer: 'messages', default: [user, { id: 'mine', ...user }] } as const;
    const run = runUnder(2, { channels: { ...channels, chat }, nodes: addsNames('a') });
    expect(chatOf(run)).toEqual([
      { id: 'default.m1', ...user },
      { id: 'mine', ...user },
    ]);
  });

  test.each([['x'], [[1]], [{ role: 'user' }], [[{ role: 'nobody', content: 'x' }]]])('can not hold %j', (value) => {
    expect(runUnder(2, writing(value)).run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION' });
    expect(runUnder(1, writing(value)).run.status).toBe('completed');
  });
});

test('a sum beyond all numbers can not be written', () => {
  const adds = { type: 'set', write: { total: 1e308 } } as const;
  const nodes = { a: adds, b: adds };
  expect(runUnder(2, { nodes }).run).toMatchObject({
    status: 'failed',
    error: { code: 'CHANNEL_SCHEMA_VIOLATION', node: 'b', message: expect.stringContaining('beyond all numbers') },
    root: { channels: { total: 1e308 } },
  });
  expect(runUnder(1, { nodes }).run.status).toBe('completed');
});

describe('an edit as a node', () => {
  const stopping: Partial<GraphDefinition> = { nodes: addsNames('a', 'b', 'c'), interruptBefore: ['b'] };
  const afterResuming = (run: MemoryRun) => {
    run.signal('resume', {});
    return [run.run.status, logOf(run)];
  };

  test('is gone on from by one `resume`', () => {
    const run = runUnder(2, stopping);
    run.signal('edit', { values: { log: 'x' }, asNode: 'a' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    expect(afterResuming(run)).toEqual(['completed', ['a', 'x', 'b', 'c']]);
  });

  test('of a run that had ended stands there too', () => {
    const run = runUnder(2, stopping);
    run.signal('resume', {});
    expect(run.run.status).toBe('completed');
    run.reopen('edit', { values: { log: 'x' }, asNode: 'a' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    expect(afterResuming(run)).toEqual(['completed', ['a', 'b', 'c', 'x', 'b', 'c']]);
  });

  test('took two', () => {
    const run = runUnder(1, stopping);
    run.signal('edit', { values: { log: 'x' }, asNode: 'a' });
    expect(afterResuming(run)).toEqual(['paused', ['a', 'x']]);
    expect(afterResuming(run)).toEqual(['completed', ['a', 'x', 'b', 'c']]);
  });

  test('that leads to another breakpoint stands at that one', () => {
    const run = runUnder(2, { ...stopping, interruptBefore: ['b', 'c'] });
    run.signal('edit', { values: { log: 'x' }, asNode: 'b' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['c'] });
    expect(afterResuming(run)).toEqual(['completed', ['a', 'x', 'c']]);
  });

  test('of a run that waits runs into the breakpoint', () => {
    const wait = { type: 'wait', event: 'go' } as const;
    const run = runUnder(2, { nodes: { a: wait, ...addsNames('b') }, interruptBefore: ['b'] });
    run.signal('edit', { asNode: 'a' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    expect(afterResuming(run)).toEqual(['completed', ['b']]);
  });
});

describe('a replan to the node that a run stands before', () => {
  const stopping: Partial<GraphDefinition> = { nodes: addsNames('a', 'b'), interruptBefore: ['b', 'a'] };

  test('goes on there', () => {
    const run = runUnder(2, stopping);
    run.signal('resume', {});
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
    run.signal('replan', { node: 'b' });
    expect([run.run.status, logOf(run)]).toEqual(['completed', ['a', 'b']]);
  });

  test('to another one stops there', () => {
    const run = runUnder(2, stopping);
    run.signal('replan', { node: 'b' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
  });

  test('stopped again', () => {
    const run = runUnder(1, stopping);
    run.signal('resume', {});
    run.signal('replan', { node: 'b' });
    expect(toRunView(run.run)).toMatchObject({ status: 'paused', next: ['b'] });
  });
});

describe('a node that a person has given up', () => {
  const nodes = { only: { type: 'tool', tool: 'lookup', args, onError: 'intervene' } } as const;
  const givenUpUnder = (version: number): (string | undefined)[] => {
    const tool = (): never => {
      throw new CallFailure('TOOL_FAILED', 'broken');
    };
    const run = runUnder(version, { nodes }, { tool });
    run.signal('fail', { by: { sub: 'ada', roles: [] } });
    return run.events.flatMap((event) => (event.type === 'node.failed' ? [event.by] : []));
  };

  test('says by whom', () => expect(givenUpUnder(3)).toEqual([undefined, 'ada']));
  test('has said nothing', () => expect(givenUpUnder(2)).toEqual([undefined]));
});

describe('a cancellation of a run that is about to end otherwise', () => {
  const nodes = {
    first: { type: 'tool', tool: 'charge', args },
    other: { type: 'tool', tool: 'lookup', args },
  } as const;
  const edges = [{ from: '__start__', to: ['first', 'other'] }];

  /** The deadline is over while a call is out, and so the run is about to fail. */
  function canceledUnder(version: number): MemoryRun {
    let isAnswered = false;
    const outside: Outside = { next: () => (isAnswered ? 0 : null), tool: () => 1 };
    const run = runUnder(version, { nodes, edges, limits: { deadline: '1s' } }, outside);
    run.passTime(2_000);
    isAnswered = true;
    run.signal('cancel', {});
    return run;
  }

  test('is taken', () => expect(canceledUnder(3).run.status).toBe('canceled'));
  test('was refused', () => expect(canceledUnder(2).run.status).toBe('failed'));
});

describe('a text among the arguments of a call that is valid as it is', () => {
  const lookup = {
    effect: 'idempotent',
    description: '',
    parameters: {
      type: 'object',
      patternProperties: { '^zip': { type: 'string' } },
      additionalProperties: { type: 'number' },
    },
  } as const;

  function toldUnder(version: number): readonly Json[] {
    const replies = [asks(['lookup', { zip: '1010', n: '5' }])];
    const given: Json[] = [];
    const outside: Outside = {
      model: () => replies.shift() ?? says(''),
      tool: (request) => {
        given.push(request.args);
        return 'found';
      },
    };
    const nodes: GraphDefinition['nodes'] = { ask: { type: 'agent', prompt: 'x', tools: ['lookup'] } };
    const base = aCatalog();
    const catalog = { ...base, tools: { ...base.tools, lookup } };
    runInMemory({ version, definition: aDefinition({ channels, nodes }), catalog, input: {} }, outside);
    return given;
  }

  test('stays text', () => expect(toldUnder(4)).toEqual([{ zip: '1010', n: 5 }]));
  test('was converted, and the call refused', () => expect(toldUnder(3)).toEqual([]));
});
