import { expect, test } from 'vitest';
import type { ToolEntry } from '../../src/graph/definition/catalog.ts';
import type { NodeDefinition } from '../../src/graph/definition/definition.ts';
import { asks, play, playAgent, says } from '../support/builders/agents.ts';
import type { Played } from '../support/builders/agents.ts';

const LOCAL = { effect: 'idempotent', timeout: '1s', execution: 'local' } as const;
const tools: Readonly<Record<string, Partial<ToolEntry>>> = { lookup: LOCAL };

function playNode(over: object, ofTool: Partial<ToolEntry> = LOCAL): Played {
  const node = { type: 'tool', tool: 'lookup', args: { key: 'x' }, ...over } satisfies NodeDefinition;
  return play({ replies: [], tools: { lookup: ofTool }, graph: { nodes: { a: node } } });
}

const executionsIn = ({ calls }: Played) => calls.map(({ execution }) => execution);

test('the definition of a tool decides whether an agent calls it locally or by an activity', () => {
  const replies = [asks(['lookup', { key: 'x' }]), says('done')];
  expect(executionsIn(playAgent({ tools: ['lookup'] }, { replies, tools }))).toEqual(['local']);
});

test('a node overrides whether its own calls are made locally', () => {
  expect(executionsIn(playNode({}))).toEqual(['local']);
  expect(executionsIn(playNode({ execution: 'activity' }))).toEqual(['activity']);
  expect(executionsIn(playNode({ execution: 'local' }, { effect: 'idempotent', timeout: '1s' }))).toEqual(['local']);
});
