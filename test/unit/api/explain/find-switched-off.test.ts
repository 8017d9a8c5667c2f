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
  findSwitchedOff(switches, pinned, { next, open: [] }).map(({ name, nodes }) => [name, nodes]);

const called = { seq: 1, at: AT, step: 0, visit: 1, args: {} } as const;
const openCall = (tool: string, node: string, path?: readonly string[]): BeginOfCall => ({
  ...called,
  type: 'tool.requested',
  tool,
  node,
  ...(path && { path }),
  idempotencyKey: `R:${[...(path ?? []), node].join('/')}:1:0:0`,
});

test('the nodes at work are named that use what is off, also inside of graphs that they name', () => {
  expect(keptBack(['pay', 'work', 'double'], off('tool', 'charge'))).toEqual([['charge', ['pay']]]);
  expect(keptBack(['outer', 'work'], off('tool', 'mail'))).toEqual([['mail', ['outer']]]);
  expect(keptBack(['work'], off('model', 'clever'))).toEqual([['clever', ['work']]]);
  expect(keptBack(['double'], off('function', 'double'), off('tool', 'double'))).toEqual([['double', ['double']]]);
});

test('the open calls of what is off are named, and the nodes that make them wait, whatever else they use', () => {
  const next = ['pay', 'work', 'outer'];
  const open = [openCall('charge', 'work'), openCall('mail', 'work'), openCall('mail', 'send', ['outer'])];
  const found = findSwitchedOff([off('tool', 'mail'), off('tool', 'charge')], pinned, { next, open });
  expect(found).toMatchObject([
    { name: 'mail', isSure: true, nodes: ['work', 'outer'], calls: ['R:work:1:0:0', 'R:outer/send:1:0:0'] },
    { name: 'charge', isSure: true, nodes: ['pay', 'work'], calls: ['R:work:1:0:0'] },
  ]);
});

test('calls of code are told apart by its kind', () => {
  const call = { ...called, type: 'function.requested', node: 'double', idempotencyKey: 'K' } as const;
  const callsOf = (kind: Switch['kind'], open: BeginOfCall) =>
    findSwitchedOff([off(kind, 'double')], pinned, { next: ['double'], open: [open] }).flatMap(({ calls }) => calls);
  expect(callsOf('function', { ...call, function: 'double' })).toEqual(['K']);
  expect(callsOf('function', { ...call, nodeType: 'double' })).toEqual([]);
});

test('it is not sure of a model where a node uses something else, as a history does not tell that its calls begin', () => {
  const isSure = (next: readonly string[], kind: 'model' | 'tool', name: string) =>
    findSwitchedOff([off(kind, name)], pinned, { next, open: [] }).map((one) => one.isSure);
  expect([isSure(['pay'], 'tool', 'charge'), isSure(['outer'], 'tool', 'mail')]).toEqual([[true], [true]]);
  expect([isSure(['work'], 'model', 'clever'), isSure(['work'], 'tool', 'charge')]).toEqual([[false], []]);
});

test('nodes that are not at work, and other things that are off, are no reason', () => {
  expect(keptBack(['double'], off('tool', 'charge'))).toEqual([]);
  expect(keptBack(['pay'], off('graph', 'charge'), off('tool', 'mail'))).toEqual([]);
  expect(keptBack(['gone'], off('tool', 'charge'))).toEqual([]);
});
