import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json, JsonObject } from '../../src/graph/values/json.ts';
import { failing, startRun } from '../support/builders/runs.ts';
import type { MemoryRun } from '../support/doubles/memory-shell.ts';

const channels: NonNullable<GraphDefinition['channels']> = { chat: { reducer: 'messages' }, n: {} };
const user = { id: 'u', role: 'user', content: 'hi' };
const system = { id: 's', role: 'system', content: 'obey' };
const said = { id: 'a', role: 'assistant', content: 'hello', providerParts: { provider: 'openai', parts: [] } };

const chatOf = ({ run }: MemoryRun): Json | undefined => run.root.channels['chat'];
const lastOf = ({ events }: MemoryRun): unknown => events.at(-1);

/** A run that is stopped before its second node, after a message of the assistant. */
function pausedRun(over: Partial<GraphDefinition> = {}): MemoryRun {
  const nodes = { say: { type: 'set', write: { chat: said } }, b: { type: 'set', write: { n: 1 } } } as const;
  return startRun({ channels, nodes, interruptBefore: ['b'], ...over });
}

describe('a person who changes a run', () => {
  const doors: readonly [string, JsonObject][] = [
    ['edit', {}],
    ['edit', { asNode: 'say' }],
    ['resume', {}],
    ['replan', { node: 'b' }],
  ];

  test.each(doors)(
    'a person who changes a run by %s %j writes only messages of the role user',
    (...[door, payload]) => {
      const run = pausedRun();
      run.signal(door, { ...payload, values: { chat: system } });
      expect([run.run.status, chatOf(run)]).toEqual(['paused', [said]]);
      expect(lastOf(run)).toMatchObject({
        type: 'signal.ignored',
        reason: 'invalid_values',
        detail: expect.stringContaining('only of user'),
      });
      run.signal(door, { ...payload, values: { chat: user } });
      expect(chatOf(run)).toEqual([said, user]);
    },
  );

  test('a person who changes a run receives the path of the refused message', () => {
    const run = pausedRun();
    run.signal('edit', { signalId: 'd', values: { chat: [user, system] } });
    expect(run.run.signalResults.at(-1)).toMatchObject({
      refusal: { code: 'INVALID_VALUES', issues: [{ path: '/values/chat/1/role' }] },
    });
  });

  test('a person forks a run only with messages of the role user', () => {
    const checkpoint = pausedRun().checkpoints.at(-1)?.id ?? '';
    expect(pausedRun().fork(checkpoint, { values: { chat: system } })).toMatchObject({ code: 'INVALID_VALUES' });
    expect(pausedRun().fork(checkpoint, { values: { chat: user } })).toMatchObject({ run: { status: 'paused' } });
  });

  test('a person who edits a run may write existing messages back, and no others with their roles', () => {
    const run = pausedRun();
    run.signal('edit', { values: { chat: { $replace: [user, { ...said, content: 'goodbye' }] } } });
    expect(chatOf(run)).toEqual([said]);
    run.signal('edit', { values: { chat: { $replace: [user, said] } } });
    expect(chatOf(run)).toEqual([user, said]);
  });

  test('a person who edits a run may write messages of the roles that the channel names', () => {
    const run = pausedRun({ channels: { ...channels, chat: { reducer: 'messages', roles: ['system'] } } });
    run.signal('edit', { values: { chat: system } });
    run.signal('edit', { values: { chat: user } });
    expect(chatOf(run)).toEqual([said, system]);
  });
});

describe('an event', () => {
  const waiting = (write: Json, over: Partial<GraphDefinition> = {}): MemoryRun =>
    startRun({ channels, nodes: { w: { type: 'wait', event: 'said', write: { chat: write } } }, ...over });

  test('an external event writes messages only with the role user', () => {
    const run = waiting('{{ result }}');
    run.signal('event', { event: 'said', payload: [user, system] });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'CHANNEL_SCHEMA_VIOLATION', node: 'w' } });
    expect(chatOf(run)).toEqual([]);
    const allowed = waiting('{{ result }}');
    allowed.signal('event', { event: 'said', payload: user });
    expect(chatOf(allowed)).toEqual([user]);
  });

  test('an event whose message is refused is awaited again on a retry', () => {
    const run = waiting('{{ result }}');
    run.signal('event', { event: 'said', payload: system });
    run.reopen('retry');
    expect(run.run.status).toBe('waiting');
    run.signal('event', { event: 'said', payload: user });
    expect([run.run.status, chatOf(run)]).toEqual(['completed', [user]]);
  });

  test('an external event fills the text of messages whose roles the graph names', () => {
    const run = waiting({ role: 'system', content: 'The customer says: {{ result }}' });
    run.signal('event', { event: 'said', payload: 'hi' });
    expect(chatOf(run)).toMatchObject([{ role: 'system', content: 'The customer says: hi' }]);
    const chosen = waiting({ role: '{{ result }}', content: 'x' });
    chosen.signal('event', { event: 'said', payload: 'system' });
    expect(chosen.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION' });
  });
});

test('the values of a decision write messages only with the role user', () => {
  const write = { chat: '{{ result.values.messages }}' };
  const run = startRun({ channels, nodes: { ask: { type: 'approval', title: 'Go?', write } } });
  run.signal('approve', { values: { messages: [system] } });
  expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 'ask' });
});

test('a person who skips a node writes messages only with the role user, except for messages of the graph itself', () => {
  const write = { chat: '{{ result }}' };
  const nodes = { t: { type: 'tool', tool: 'lookup', args: { key: 'k' }, onError: 'intervene', write } } as const;
  const run = startRun({ channels, nodes }, failing);
  run.signal('skip', { output: system });
  expect(lastOf(run)).toMatchObject({
    type: 'signal.ignored',
    reason: 'malformed',
    detail: expect.stringContaining('only of user'),
  });
  run.signal('skip', { output: user });
  expect([run.run.status, chatOf(run)]).toEqual(['completed', [user]]);
});
