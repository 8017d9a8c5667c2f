import { expect, test } from 'vitest';
import { compileShared } from '../../../src/graph/compile/index.ts';
import type { GraphDefinition } from '../../../src/graph/definition/index.ts';
import { limitsOfRun } from '../../../src/graph/run/index.ts';
import { playOutputs } from '../../../src/simulation/play-outputs.ts';
import type { OutputsTest } from '../../../src/simulation/play-outputs.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';

const NOTHING: OutputsTest = { input: {}, outputs: {}, decisions: [], events: [], expect: {} };

async function play(definition: GraphDefinition, test: Partial<OutputsTest>) {
  const graph = compileShared(definition, aCatalog());
  const identity = {
    id: 'test',
    tenantId: 'acme',
    threadId: null,
    graph: { name: definition.name, version: null, hash: 'test' },
    createdBy: { sub: 'uma', roles: ['user'] },
    limits: limitsOfRun(graph, {}).limits,
  };
  return await playOutputs(graph, { identity, now: 0, test: { ...NOTHING, ...test } });
}

const ASKING = aDefinition({
  name: 'asking',
  channels: { answer: {} },
  nodes: {
    say: {
      type: 'llm',
      model: 'default',
      prompt: 'Say',
      output: { type: 'object' },
      write: { answer: '{{ result.object }}' },
    },
  },
  edges: [
    { from: '__start__', to: 'say' },
    { from: 'say', to: '__end__' },
  ],
});

test.each([
  ['a value', { intent: 'refund' }],
  ['a value with other members than an answer', { text: 'refund', sure: true }],
  ['an answer', { json: { text: 'refund' } }],
])('a graph test accepts a model’s output as %s', async (_what, output) => {
  const { state, mismatch } = await play(ASKING, { outputs: { say: [output] } });
  expect([state['answer'], mismatch]).toEqual(['json' in output ? output.json : output, null]);
});

test('a wait for a time needs no output in a graph test', async () => {
  const waiting = aDefinition({
    name: 'waiting',
    nodes: { sleep: { type: 'wait', for: '2d' } },
    edges: [
      { from: '__start__', to: 'sleep' },
      { from: 'sleep', to: '__end__' },
    ],
    limits: { deadline: '30d' },
  });
  expect(await play(waiting, {})).toMatchObject({ status: 'completed', mismatch: null });
});

test('an agent in a graph test takes the outputs of its model and its tools in the order of the calls', async () => {
  const agent = aDefinition({
    name: 'agent',
    channels: { answer: {} },
    nodes: { help: { type: 'agent', tools: ['lookup'], prompt: 'Help', write: { answer: '{{ result.text }}' } } },
  });
  const asks = { toolCalls: [{ tool: 'lookup', args: { key: 'A-1' } }] };
  const whole = await play(agent, { outputs: { help: [asks, { total: 40 }, 'It costs 40.'] } });
  expect(whole).toMatchObject({ state: { answer: 'It costs 40.' }, mismatch: null });
  const short = await play(agent, { outputs: { help: [asks] } });
  expect(short.mismatch).toMatchObject({ kind: 'output', node: 'help', message: expect.stringContaining('"lookup"') });
});
