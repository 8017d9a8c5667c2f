import { expect, test } from 'vitest';
import { whatKeepsBack } from '../../../../src/api/explain/switched-off.ts';
import type { Switch } from '../../../../src/store/rulings/switches.ts';
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
const keptBack = (next: readonly string[], ...switches: readonly Switch[]) =>
  whatKeepsBack(switches, { definition, catalog: { graphs: { inner } } }, next).map(({ name, nodes }) => [name, nodes]);

test('the nodes at work are named that use what is off, also inside of graphs that they name', () => {
  expect(keptBack(['pay', 'work', 'double'], off('tool', 'charge'))).toEqual([['charge', ['pay', 'work']]]);
  expect(keptBack(['outer', 'work'], off('tool', 'mail'))).toEqual([['mail', ['outer', 'work']]]);
  expect(keptBack(['work'], off('model', 'clever'))).toEqual([['clever', ['work']]]);
  expect(keptBack(['double'], off('function', 'double'), off('tool', 'double'))).toEqual([['double', ['double']]]);
});

test('nodes that are not at work, and other things that are off, are no reason', () => {
  expect(keptBack(['double'], off('tool', 'charge'))).toEqual([]);
  expect(keptBack(['pay'], off('graph', 'charge'), off('tool', 'mail'))).toEqual([]);
  expect(keptBack(['gone'], off('tool', 'charge'))).toEqual([]);
});
