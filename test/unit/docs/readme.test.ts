import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isDefinition } from '../../../src/graph/definition/index.ts';
import type { GraphDefinition } from '../../../src/graph/definition/index.ts';
import { toJson } from '../../../src/graph/values/index.ts';
import type { JsonObject } from '../../../src/graph/values/index.ts';
import { runGraph } from '../../../src/testing/index.ts';

/* Graphs that readers copy: they are played in memory, with fakes. */

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

function parse(text: string): GraphDefinition {
  const definition = toJson(JSON.parse(text));
  if (isDefinition(definition)) return definition;
  throw new TypeError('This is no definition');
}

const tools = {
  lookup_order: () => ({ orders: [{ item: 'Desk lamp', total: 49.9, refunded: 0, currency: 'USD' }] }),
  issue_refund: (args: unknown) => ({ id: 'refund_1', args }),
};

describe('README.md', () => {
  const [summary = '', payBack = ''] = [...read('README.md').matchAll(/^```json\n([^]*?)^```$/gm)].map(
    ([, text = '']) => text,
  );

  test('README.md contains a first graph that works as described', async () => {
    const run = await runGraph(parse(summary), { number: 'A-1001' }, { tools });
    expect(run).toMatchObject({ status: 'completed', output: { summary: 'Desk lamp: 49.9 USD left' } });
  });

  test('README.md contains a first approval that pays the approved amount', async () => {
    const args = { order: 'A-1002', amount: 50 };
    const decision = { node: 'ask', decision: 'approve', args, reason: 'one side is silent', by: 'ada' } as const;
    const run = await runGraph(parse(payBack), { number: 'A-1002', amount: 100 }, { tools, decisions: [decision] });
    const refund = { id: 'refund_1', args: { ...args, reason: 'one side is silent' } };
    expect(run).toMatchObject({ status: 'completed', output: { refund } });
  });
});

describe('an example of the reference', () => {
  const inputs: Readonly<Record<string, JsonObject>> = {
    set: { price: 2, count: 3 },
    tool: { number: 'A-1001' },
    subgraph: { orders: ['A-1', 'A-2'] },
    channels: { amount: 1, pin: '1234' },
    edges: { kind: 'loud', numbers: [7, 8] },
  };
  const outputs: Readonly<Record<string, object>> = {
    set: { total: 6, note: '3 pieces' },
    tool: { order: { item: 'Desk lamp' } },
    subgraph: { names: ['Order A-1', 'Order A-2'] },
    channels: { log: [1], best: { score: 1 } },
    edges: { seen: ['left', 'right', '0: 7', '1: 8', 'done', 'right'], tries: 3 },
  };

  test.each(Object.keys(inputs))('the example %s.json of the reference works as described', async (name) => {
    const run = await runGraph(parse(read(`examples/reference/${name}.json`)), inputs[name] ?? {}, { tools });
    expect(run).toMatchObject({ status: 'completed', output: outputs[name] });
  });
});
