import { describe, expect, test } from 'vitest';
import type { ModelReply } from '../../../src/graph/run/effect.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { asks, play, playAgent, says } from '../../support/builders/agents.ts';
import { issuesOfNode } from '../../support/builders/issues-of-node.ts';
import { firstLogged } from '../../support/builders/runs.ts';

const look = (key: string): readonly [string, Json] => ['lookup', { key }];

describe('a choice of tools', () => {
  test.each([['required', 'required'] as const, [{ tool: 'lookup' }, { tool: 'lookup' }] as const])(
    'the toolChoice %j of an agent is in force until the model has called a tool',
    (toolChoice, sent) => {
      const played = playAgent({ toolChoice }, { replies: [asks(look('a')), asks(look('b')), 'done'] });
      expect(played.requests.map((request) => request.toolChoice)).toEqual([sent, undefined, undefined]);
      expect(played.run.run.status).toBe('completed');
    },
  );

  test('a toolChoice that forbids tools applies to every turn', () => {
    const { requests } = playAgent({ toolChoice: 'none' }, { replies: ['done'] });
    expect(requests.map((request) => request.toolChoice)).toEqual(['none']);
  });

  test('a toolChoice is not sent in a turn without tools, nor if the model is free to choose', () => {
    const last = playAgent({ toolChoice: 'required', maxIterations: 1 }, { replies: [asks(look('a')), 'done'] });
    expect(last.requests.map((request) => request.toolChoice)).toEqual(['required', undefined]);
    const [free] = playAgent({ toolChoice: 'auto' }, { replies: ['done'] }).requests;
    expect(free).not.toHaveProperty('toolChoice');
  });
});

describe('calls that a model may not request', () => {
  const toolCalls = [{ id: 'c', name: 'lookup', args: { key: 'a' } }];
  const providerParts = { provider: 'openai', parts: [] };
  const nothingAllowed = [{ tools: ['lookup'], toolChoice: 'none' }, { tools: [] }] as const;
  const rows = nothingAllowed.flatMap((fields) =>
    (['tool-calls', 'length'] as const).map((finishReason) => ({
      fields,
      answer: says('no need', { toolCalls, finishReason, providerParts }),
    })),
  );
  const messageOf = ({ finishReason }: ModelReply): Json => ({
    role: 'assistant',
    content: 'no need',
    ...(finishReason === 'length' && { finishReason }),
  });

  test.each(rows)(
    'calls that a model may not request are removed from the answer of an agent with $fields: $answer.finishReason',
    ({ fields, answer }) => {
      const { run, calls } = playAgent(fields, { replies: [answer, 'more'] });
      expect([run.run.status, calls]).toEqual(['completed', []]);
      expect(firstLogged(run)).toMatchObject({ text: 'no need', toolCalls: [] });
      expect(firstLogged(run)).toHaveProperty('message', messageOf(answer));
    },
  );

  test.each(rows)(
    'calls that a model may not request are omitted from the answer of an llm node with $fields, and no tool node makes them: $answer.finishReason',
    ({ fields, answer }) => {
      const think = { type: 'llm', messages: 'chat', write: { log: ['{{ result }}'] }, ...fields } as const;
      const edges = [
        { from: '__start__', to: 'think' },
        { from: 'think', to: 'act' },
      ];
      const nodes = { think, act: { type: 'tool', calls: 'chat', tools: ['lookup'] } } as const;
      const { run, calls } = play({ replies: [answer], graph: { nodes, edges } });
      expect([run.run.status, calls]).toEqual(['completed', []]);
      expect(firstLogged(run)).toMatchObject({ text: 'no need', toolCalls: [] });
      expect(firstLogged(run)).toHaveProperty('message', messageOf(answer));
    },
  );

  test('calls that a model may not request do not prevent the output object from being read', () => {
    const output = { type: 'object', required: ['n'] } as const;
    const answer = says('{"n": 1}', { toolCalls, finishReason: 'tool-calls' });
    const { run, calls } = playAgent({ output, toolChoice: 'none' }, { replies: [answer] });
    expect([calls, firstLogged(run)]).toMatchObject([[], { object: { n: 1 } }]);
  });
});

test('reasoning and provider options are in each request to a model', () => {
  const options = { reasoning: 'low', providerOptions: { openai: { textVerbosity: 'low' } } } as const;
  const { requests } = playAgent(options, { replies: [asks(look('a')), 'done'] });
  expect(requests).toMatchObject([options, options]);
});

test.each<[object, readonly string[]]>([
  [{ toolChoice: { tool: 'lookup' }, reasoning: 'high', providerOptions: { google: {} } }, []],
  [{ toolChoice: 'always' }, ['INVALID_FIELD /nodes/a/toolChoice']],
  [{ toolChoice: { tool: 'charge' } }, ['INVALID_FIELD /nodes/a/toolChoice/tool']],
  [{ toolChoice: 'required', tools: [] }, ['INVALID_FIELD /nodes/a/toolChoice']],
  [{ reasoning: 'much' }, ['INVALID_FIELD /nodes/a/reasoning']],
  [{ providerOptions: { openai: { store: true } } }, ['INVALID_FIELD /nodes/a/providerOptions/openai/store']],
  [
    { providerOptions: { openai: { previousResponseId: 'r' } } },
    ['INVALID_FIELD /nodes/a/providerOptions/openai/previousResponseId'],
  ],
  [
    { providerOptions: { anthropic: { mcpServers: [] } } },
    ['INVALID_FIELD /nodes/a/providerOptions/anthropic/mcpServers'],
  ],
  [
    { providerOptions: { openai: { textVerbosity: 'loud' } } },
    ['INVALID_FIELD /nodes/a/providerOptions/openai/textVerbosity'],
  ],
  [{ providerOptions: { azure: {} } }, ['INVALID_FIELD /nodes/a/providerOptions/azure']],
])('a definition with the model options %j has the expected issues', (fields, issues) => {
  expect(issuesOfNode({ type: 'agent', prompt: 'Hi', tools: ['lookup'], ...fields })).toEqual(issues);
});
