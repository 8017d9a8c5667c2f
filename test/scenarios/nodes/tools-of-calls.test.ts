import { describe, expect, test } from 'vitest';
import type { NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { asks, play } from '../../support/builders/agents.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';

const llm = (...tools: string[]): NodeDefinition => ({ type: 'llm', messages: 'chat', tools });
const act: NodeDefinition = { type: 'tool', calls: 'chat' };
const channels = { chat: { reducer: 'messages' }, log: { reducer: 'append' } } as const;

function playCalls(think: NodeDefinition, calls: NodeDefinition) {
  const reply = asks(['charge', { key: 'a' }], ['lookup', { key: 'b' }]);
  const played = play({ replies: [reply], graph: { channels, nodes: { think, act: calls } } });
  const { chat } = played.run.run.root.channels;
  return { made: played.calls.map(({ tool }) => tool), answers: Array.isArray(chat) ? chat.slice(-2) : [] };
}

describe('a tool node with calls', () => {
  test.each<[string, NodeDefinition, NodeDefinition]>([
    ['that the node names', llm('lookup', 'charge'), { ...act, tools: ['lookup'] }],
    ['of the only llm node that writes its channel', llm('lookup'), act],
  ])('a tool node with calls calls only the tools %s', (_which, think, calls) => {
    const { made, answers } = playCalls(think, calls);
    expect(made).toEqual(['lookup']);
    expect(answers).toMatchObject([{ content: 'Tool not found: charge' }, { content: 'b' }]);
  });

  test('a tool node with calls makes none if the llm node has no tools', () => {
    expect(playCalls(llm(), act).made).toEqual([]);
  });

  test.each<[string, Record<string, NodeDefinition>, boolean]>([
    ['one llm node writes its channel', { think: llm('lookup'), act }, true],
    ['other nodes make calls of the channel, too', { think: llm('lookup'), act, more: act }, true],
    ['no node writes its channel', { act }, false],
    ['two models write its channel', { think: llm('lookup'), other: llm('charge'), act }, false],
    ['an agent writes its channel', { think: { type: 'agent', messages: 'chat' }, act }, false],
    [
      'another node writes its channel besides the llm node',
      { think: llm('lookup'), put: { type: 'set', write: { chat: [] } }, act },
      false,
    ],
    ['it writes the channel itself', { think: llm('lookup'), act: { ...act, write: 'chat' } }, false],
  ])('a tool node with calls may omit its tools if %s: %#', (_where, nodes, isValid) => {
    const issues = validateGraph(toJson(aDefinition({ channels, nodes })), aCatalog());
    const errors = issues.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path}`);
    expect(errors).toEqual(isValid ? [] : ['INVALID_FIELD /nodes/act']);
  });
});

describe('the last node of a canceled run', () => {
  const wait: NodeDefinition = { type: 'wait', for: '1h' };
  const inside = aDefinition({ name: 'inside', nodes: { pause: wait } });
  const last: Record<string, NodeDefinition> = {
    approval: { type: 'approval', title: 'Really?' },
    wait,
    agent: { type: 'agent', prompt: 'Say goodbye' },
    'subgraph that waits': { type: 'subgraph', graph: inside },
    subgraph: { type: 'subgraph', graph: aDefinition({ name: 'quick', nodes: { note: { type: 'set' } } }) },
    tool: { type: 'tool', tool: 'lookup', args: { key: 'k' } },
  };

  test.each(Object.keys(last))('the last node of a canceled run may have the type %s unless it waits', (type) => {
    const nodes = { a: wait, last: last[type] ?? wait };
    const definition = aDefinition({ nodes, edges: [{ from: '__start__', to: 'a' }], onCancel: 'last' });
    const errors = validateGraph(toJson(definition), aCatalog()).filter(({ severity }) => severity === 'error');
    const waits = ['approval', 'wait', 'subgraph that waits'].includes(type);
    expect(errors).toMatchObject(waits ? [{ code: 'INVALID_FIELD', path: '/onCancel' }] : []);
  });
});
