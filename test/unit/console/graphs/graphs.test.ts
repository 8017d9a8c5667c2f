import { HoldfastError } from 'holdfast/client';
import { describe, expect, test } from 'vitest';
import { diffRows } from '../../../../console/src/parts/diff-rows.ts';
import { issuesByField } from '../../../../console/src/form/read-form.ts';
import { fieldsOf } from '../../../../console/src/form/fields.ts';
import { layOut } from '../../../../console/src/graph/lay-out.ts';
import { readAlias } from '../../../../console/src/pages/graphs/read-alias.ts';
import { changedNodes } from '../../../../console/src/pages/graphs/changed-nodes.ts';
import { toGraph } from '../../../../console/src/pages/paths.ts';
import { firstInput, inputSchema } from '../../../../console/src/pages/graphs/input-schema.ts';

describe('the input of a run', () => {
  const definition = {
    channels: {
      order: { schema: { type: 'string', pattern: '^A-' }, description: 'The number of the order' },
      amount: { reducer: 'sum', default: 5 },
      urgent: { reducer: 'or' },
      messages: { reducer: 'messages' },
      outcome: {},
    },
    input: ['order', 'amount', 'urgent', 'messages'],
    required: ['order'],
  };

  test('the console’s form for the input of a run has a field for each input channel, by its schema or its reducer', () => {
    const fields = fieldsOf(inputSchema(definition)) ?? [];
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['order', 'text', true],
      ['amount', 'number', false],
      ['urgent', 'boolean', false],
      ['messages', 'json', false],
    ]);
    expect(fields[0]?.description).toBe('The number of the order');
  });

  test('the console’s form for the input of a run starts with defaults and an empty message', () => {
    expect(firstInput(definition)).toEqual({ amount: 5, messages: [{ role: 'user', content: '' }] });
  });

  test('the console’s form for the input of a run starts with the members of an object', () => {
    const ticket = {
      type: 'object',
      properties: {
        id: { type: 'string' },
        kind: { enum: ['refund', 'other'] },
        lines: { type: 'array' },
        paid: { type: 'object', properties: { amount: { type: 'number' }, currency: { const: 'USD' } } },
      },
    };
    expect(firstInput({ channels: { ticket: { schema: ticket } } })).toEqual({
      ticket: { id: '', kind: 'refund', lines: [], paid: { amount: 0, currency: 'USD' } },
    });
  });

  test('the console’s form for the input of a run has all channels if the definition names no input', () => {
    expect(inputSchema({ channels: { a: {}, b: {} } })).toMatchObject({ properties: { a: {}, b: {} }, required: [] });
    expect(inputSchema({})).toMatchObject({ properties: {} });
  });
});

describe('issues of a request', () => {
  const error = new HoldfastError({
    code: 'INVALID_INPUT',
    detail: 'The input does not fit the graph',
    status: 422,
    issues: [
      { path: '/input/amount', message: 'must be a number' },
      { path: '/input/a~1b/0', message: 'must be a text' },
      { path: '/input', message: '"order" is missing' },
      { path: '/threadId', message: 'too long' },
    ],
  });

  test('the console assigns issues of a request to the fields of the form', () => {
    expect(issuesByField(error, ['amount', 'a/b'], '/input')).toEqual({
      byField: { amount: 'must be a number', 'a/b': 'must be a text' },
      others: [
        { path: '/input', message: '"order" is missing' },
        { path: '/threadId', message: 'too long' },
      ],
    });
  });

  test('the console lists issues of a request without a field separately', () => {
    expect(issuesByField(error, ['threadId']).byField).toEqual({ threadId: 'too long' });
    expect(issuesByField(error, ['threadId']).others).toHaveLength(3);
    expect(issuesByField(new Error('away'), ['threadId'])).toEqual({ byField: {}, others: [] });
  });
});

test('the console’s request for an alias contains a canary if its version is given, with the share as a fraction of 1', () => {
  expect(readAlias({ alias: ' live ', version: 2 })).toEqual({ alias: 'live', version: 2 });
  expect(readAlias({ alias: 'live', version: 2, canaryVersion: 3, canaryShare: 10 })).toEqual({
    alias: 'live',
    version: 2,
    canary: { version: 3, share: 0.1 },
  });
  expect(readAlias({ alias: 'live', version: 2, canaryVersion: 3 }).canary?.share).toBe(0);
});

test('the console marks nodes that are new or changed between two versions', () => {
  const before = { nodes: { a: { type: 'set' }, b: { type: 'set' }, gone: {} }, edges: [1] };
  const after = { nodes: { a: { type: 'set' }, b: { type: 'tool' }, c: {} }, edges: [2] };
  expect([...changedNodes(diffRows(before, after))]).toEqual([
    ['b', 'changed'],
    ['c', 'added'],
  ]);
});

test('the URL of a graph in the console names tab and version if they are not the default', () => {
  expect(toGraph('refund')).toBe('/graphs/refund');
  expect(toGraph('refund', 'versions', 3)).toBe('/graphs/refund/versions?version=3');
});

test('a diagram of the console has no overlapping nodes', () => {
  const { nodes, arrows } = layOut({
    nodes: { a: { type: 'set' }, b: { type: 'tool', tool: 'pay' }, c: { type: 'set' } },
    edges: [
      { from: '__start__', to: ['a', 'b'] },
      { from: ['a', 'b'], to: 'c' },
      { from: 'c', branches: [{ when: 'state.x', to: 'a' }, { to: '__end__' }] },
      { from: 'c', to: 'nowhere' },
    ],
  });
  expect(nodes.map(({ id }) => id)).toEqual(['__start__', 'a', 'b', 'c', '__end__']);
  expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(5);
  expect(arrows.map(({ from, to }) => `${from} ${to}`)).not.toContain('c nowhere');
  expect(arrows.find(({ to }) => to === 'a')?.label).toBeNull();
});
