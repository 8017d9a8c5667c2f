import { expect, test } from 'vitest';
import { findSwitchedOff } from '../../../../src/api/explain/read-facts.ts';
import type { BeginOfCall } from '../../../../src/store/calls/calls.ts';
import type { Switch } from '../../../../src/store/switches.ts';
import { aDefinition } from '../../../support/builders/builders.ts';
import { AT } from '../../../support/builders/store-builders.ts';

const off = (kind: Switch['kind'], name: string): Switch => ({
  kind,
  name,
  state: 'off',
  reason: 'down',
  tenants: null,
  changedAt: AT,
  changedBy: 'root',
});

const definition = aDefinition({
  nodes: {
    pay: { type: 'tool', tool: 'charge', args: {} },
    work: { type: 'agent', prompt: 'x', model: 'clever', tools: ['charge', 'mail'] },
    outer: { type: 'subgraph', graph: 'inner' },
    double: { type: 'function', function: 'double' },
  },
});
const inner = aDefinition({ nodes: { send: { type: 'tool', tool: 'mail', args: {} } } });
const pinned = { definition, catalog: { graphs: { inner } } };
const keptBack = (next: readonly string[], ...switches: readonly Switch[]) =>
  findSwitchedOff(switches, pinned, next, []).map(({ name, nodes }) => [name, nodes]);

const called = { seq: 1, at: AT, step: 0, visit: 1, args: {} } as const;
const openCall = (tool: string, node: string, path?: readonly string[]): BeginOfCall => ({
  ...called,
  type: 'tool.requested',
  tool,
  node,
  ...(path && { path }),
  idempotencyKey: `R:${[...(path ?? []), node].join('/')}:1:0:0`,
});

test('the explanation names running nodes that use a disabled tool, model or graph, also inside graphs that they reference', () => {
  expect(keptBack(['pay', 'work', 'double'], off('tool', 'charge'))).toEqual([['charge', ['pay']]]);
  expect(keptBack(['outer', 'work'], off('tool', 'mail'))).toEqual([['mail', ['outer']]]);
  expect(keptBack(['work'], off('model', 'clever'))).toEqual([['clever', ['work']]]);
  expect(keptBack(['double'], off('function', 'double'), off('tool', 'double'))).toEqual([['double', ['double']]]);
});

test('the explanation names open calls of a disabled tool with their nodes, whatever else these use', () => {
  const next = ['pay', 'work', 'outer'];
  const open = [openCall('charge', 'work'), openCall('mail', 'work'), openCall('mail', 'send', ['outer'])];
  const found = findSwitchedOff([off('tool', 'mail'), off('tool', 'charge')], pinned, next, open);
  expect(found).toMatchObject([
    { name: 'mail', isSure: true, nodes: ['work', 'outer'], calls: ['R:work:1:0:0', 'R:outer/send:1:0:0'] },
    { name: 'charge', isSure: true, nodes: ['pay', 'work'], calls: ['R:work:1:0:0'] },
  ]);
});

test('disabled functions, tools and models are distinguished by the kind of their calls', () => {
  const call = { ...called, type: 'function.requested', node: 'double', idempotencyKey: 'K' } as const;
  const callsOf = (kind: Switch['kind'], open: BeginOfCall) =>
    findSwitchedOff([off(kind, 'double')], pinned, ['double'], [open]).flatMap(({ calls }) => calls);
  expect(callsOf('function', { ...call, function: 'double' })).toEqual(['K']);
  expect(callsOf('function', { ...call, nodeType: 'double' })).toEqual([]);
});

test('a disabled model is only a possible reason for waiting if the node uses other models or tools, because the history does not record when model calls begin', () => {
  const isSure = (next: readonly string[], kind: 'model' | 'tool', name: string) =>
    findSwitchedOff([off(kind, name)], pinned, next, []).map((one) => one.isSure);
  expect([isSure(['pay'], 'tool', 'charge'), isSure(['outer'], 'tool', 'mail')]).toEqual([[true], [true]]);
  expect([isSure(['work'], 'model', 'clever'), isSure(['work'], 'tool', 'charge')]).toEqual([[false], []]);
});

test('nodes that are not running, and kill switches that no node uses, are not reported', () => {
  expect(keptBack(['double'], off('tool', 'charge'))).toEqual([]);
  expect(keptBack(['pay'], off('graph', 'charge'), off('tool', 'mail'))).toEqual([]);
  expect(keptBack(['gone'], off('tool', 'charge'))).toEqual([]);
});
