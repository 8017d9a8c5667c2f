import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../src/graph/definition/definition.ts';
import { CHANNELS, asks, play } from '../support/builders/agents.ts';
import type { Played } from '../support/builders/agents.ts';
import { CallFailure } from '../support/doubles/memory-shell.ts';
import type { Answer } from '../support/doubles/memory-shell.ts';

/* Nodes that have done their work, but whose writes the state does not accept. */

const by = { sub: 'ada', roles: ['approver'] };
const approves = (): Answer => ({ decision: 'approve' });

const small = (maximum: number): GraphDefinition['channels'] => ({
  ...CHANNELS,
  limit: { default: 1 },
  total: { reducer: 'sum', schema: { type: 'number', maximum } },
});

/** Each type of node with work that it does once, and a write of one element too many. */
const nodes: Readonly<Record<string, NodeDefinition>> = {
  agent: { type: 'agent', prompt: 'Hi', tools: ['notify'] },
  llm: { type: 'llm', prompt: 'Hi {{ state.limit }}' },
  tool: { type: 'tool', tool: 'charge', args: { key: 'x' } },
  function: { type: 'function', function: 'double' },
  approval: { type: 'approval', title: 'May I?' },
};

function playNode(node: NodeDefinition, write: NodeDefinition['write'] = { total: '{{ 3 - state.limit }}' }): Played {
  const replies = node.type === 'agent' ? [asks(['notify', { key: 'a' }]), 'done', 'again'] : ['done', 'again'];
  return play({
    replies,
    graph: { channels: small(1) ?? {}, nodes: { a: Object.assign({}, node, { write }) } },
    outside: { approval: approves, function: () => 'done' },
  });
}

describe.each(Object.keys(nodes))('a node of type %s whose write is refused', (type) => {
  test('a node whose write is refused repeats only the write on a retry, not its call', () => {
    const played = playNode(nodes[type] ?? { type: 'set', write: {} });
    const { run, keys } = played;
    expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 'a' });
    const before = { keys: [...keys], approvals: run.run.approvals, spent: run.run.spent };
    run.reopen('retry');
    expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 'a' });
    run.reopen('edit', { values: { limit: 2 } });
    run.reopen('retry');
    expect(run.run).toMatchObject({ status: 'completed', approvals: before.approvals, spent: before.spent });
    expect([keys, run.run.root.channels['total']]).toEqual([before.keys, 1]);
  });

  test('a node whose write template could not be filled repeats only the write on a retry', () => {
    const { run, keys } = playNode(nodes[type] ?? { type: 'set', write: {} }, {
      total: '{{ 1 / state.limit.size() }}',
    });
    expect(run.run.error).toMatchObject({ code: 'EXPRESSION_FAILED', node: 'a' });
    const before = [...keys];
    run.reopen('edit', { values: { limit: 'x' } });
    run.reopen('retry');
    expect([run.run.status, run.run.root.channels['total'], keys]).toEqual(['completed', 1, before]);
  });

  test('a node whose write is refused repeats its work after a replan', () => {
    const { run, keys } = playNode(nodes[type] ?? { type: 'set', write: {} });
    run.reopen('replan', { node: 'a', values: { limit: 2 }, by });
    expect(run.run.root.visits).toEqual({ a: 2 });
    expect(new Set(keys).size).toBe(keys.length);
  });
});

test('a node whose failure could not be written to a channel is repeated under a new key', () => {
  const charge: NodeDefinition = {
    type: 'tool',
    tool: 'charge',
    args: { key: 'x' },
    onError: { to: 'b', write: { total: 7 } },
    write: { total: 1 },
  };
  let isDown = true;
  const { run, keys } = play({
    replies: [],
    graph: {
      channels: small(1) ?? {},
      nodes: { a: charge, b: { type: 'set', write: { log: 'b' } } },
      edges: [{ from: '__start__', to: 'a' }],
    },
    tool: () => {
      if (isDown) throw new CallFailure('TOOL_FAILED', 'down');
      return 'fine';
    },
  });
  expect(run.run.error).toMatchObject({ code: 'CHANNEL_SCHEMA_VIOLATION', node: 'a' });
  isDown = false;
  run.reopen('retry');
  expect([run.run.status, run.run.root.channels['total']]).toEqual(['completed', 1]);
  expect(keys).toEqual(['run-1:a:1:0:0', 'run-1:a:1:0:1']);
});
