import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import { approvalGates } from '../../../src/graph/compile/approval-gates.ts';
import { compileGraph } from '../../../src/graph/compile/compile.ts';
import { toMermaid } from '../../../src/graph/diagram/write-diagram.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { aCatalog, aDefinition } from '../../support/builders/builders.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';
import { textAt } from '../../support/readers/json-at.ts';
import { asks, play, says } from '../../support/builders/agents.ts';
import type { Agent, Played, Said, Stage } from '../../support/builders/agents.ts';

/** Two agents with one conversation, which may hand over to each other, and a node that follows the first one. */
function desk(first: Agent = {}): Partial<GraphDefinition> {
  const agent = { type: 'agent', messages: 'chat', tools: ['lookup', 'charge'] } as const;
  return {
    channels: { chat: { reducer: 'messages', default: [{ role: 'user', content: 'Hi' }] }, log: { reducer: 'append' } },
    nodes: {
      front: { ...agent, handoff: ['billing', 'tech'], ...first },
      billing: { ...agent, description: 'Money matters', handoff: ['front'] },
      tech: { type: 'set', write: { log: 'tech' } },
      after: { type: 'set', write: { log: 'after' } },
    },
    edges: [
      { from: '__start__', to: 'front' },
      { from: 'front', to: 'after' },
    ],
  };
}

const playDesk = (replies: readonly Said[], first: Agent = {}, stage: Partial<Stage> = {}): Played =>
  play({ replies, graph: desk(first), ...stage });

const handsTo = (to: string, args: Json = {}, id = 'h'): readonly [string, Json, string] => [
  `handoff_to_${to}`,
  args,
  id,
];

/** The roles and texts of the conversation. */
function chatOf({ run }: Played): string[] {
  const { chat } = run.run.root.channels;
  return [chat ?? []].flat().map((message) => `${textAt(message, '/role')}: ${textAt(message, '/content')}`);
}

describe('an agent that hands over', () => {
  test('an agent that hands over ends, and the run continues at the named node with the conversation and the note', () => {
    const played = playDesk([asks(handsTo('billing', { note: 'wants money back' })), says('Paid')]);
    expect(played.run.run.status).toBe('completed');
    expect(played.run.steps).toEqual([['front'], ['billing']]);
    expect(chatOf(played)).toEqual([
      'user: Hi',
      'assistant: ',
      'tool: Handed over to billing. Note: wants money back',
      'assistant: Paid',
    ]);
    expect(played.requests[1]?.messages.map(({ content }) => content)).toContain(
      'Handed over to billing. Note: wants money back',
    );
    expect(played.calls).toEqual([]);
  });

  test('an agent that does not hand over goes on along its edges', () => {
    expect(playDesk([says('Done')]).run.steps).toEqual([['front'], ['after']]);
  });

  test('a model is offered a tool for each node, with the description of the node', () => {
    const [request] = playDesk([says('Done')]).requests;
    expect(request?.tools).toEqual(['lookup', 'charge', 'handoff_to_billing', 'handoff_to_tech']);
    expect(request?.offers).toMatchObject({
      handoff_to_billing: { description: 'Hand the conversation over to billing: Money matters' },
      handoff_to_tech: { description: 'Hand the conversation over to tech', parameters: { type: 'object' } },
    });
  });

  test('the result of an agent says to whom it has handed over', () => {
    const first: Agent = { write: { log: ['{{ result.handoff }}', '{{ result.iterations }}', '{{ result.model }}'] } };
    const over = playDesk([asks(handsTo('tech', { note: 'it is broken' }))], first);
    expect(over.run.run.root.channels['log']).toEqual([{ to: 'tech', note: 'it is broken' }, 1, 'default', 'tech']);
    expect(playDesk([says('Done')], first).run.run.root.channels['log']).toEqual([null, 1, 'default', 'after']);
  });

  test('an agent without other tools may hand over', () => {
    expect(playDesk([asks(handsTo('tech'))], { tools: [] }).run.steps).toEqual([['front'], ['tech']]);
  });

  test('a hand-off counts as no tool call', () => {
    const { run } = playDesk([asks(handsTo('tech'))], {}, { limits: { maxToolCalls: 0 } });
    expect([run.run.status, run.run.spent.toolCalls]).toEqual(['completed', 0]);
  });
});

describe('a turn with a hand-off and something else', () => {
  test.each<[string, Said, readonly string[], readonly string[][]]>([
    [
      'another call: it is made first',
      asks(handsTo('tech', {}, 'h'), ['lookup', { key: 'k' }, 'c']),
      ['tool: Handed over to tech', 'tool: k'],
      [['front'], ['tech']],
    ],
    [
      'a second hand-off: the first one counts',
      asks(handsTo('tech', {}, 'x'), handsTo('billing', {}, 'y')),
      ['tool: Handed over to tech', 'tool: Not handed over to billing: this turn hands over to tech'],
      [['front'], ['tech']],
    ],
    [
      'the same hand-off again: the first one counts',
      asks(handsTo('tech', { note: 'a' }, 'x'), handsTo('tech', { note: 'b' }, 'y')),
      ['tool: Handed over to tech. Note: a', 'tool: Not handed over to tech: this turn hands over to tech'],
      [['front'], ['tech']],
    ],
    [
      'an invalid hand-off: the valid one counts',
      asks(handsTo('billing', { note: 1 }, 'x'), handsTo('tech', {}, 'y')),
      ['tool: Execution failed: handoff_to_billing: note must be a text', 'tool: Handed over to tech'],
      [['front'], ['tech']],
    ],
  ])('a turn hands over beside %s', (_, turn, answers, steps) => {
    const played = playDesk([turn]);
    expect(played.run.steps).toEqual(steps);
    expect(chatOf(played).slice(2)).toEqual(answers);
  });

  test.each<[string, readonly [string, Json, string?], string]>([
    ['a node that is not in the list', handsTo('after'), 'tool: Tool not found: handoff_to_after'],
    [
      'an unknown argument',
      handsTo('tech', { to: 'x' }),
      'tool: Execution failed: handoff_to_tech: there is no argument "to", only "note"',
    ],
  ])('a model that hands over with %s is told so, and goes on', (_, call, answer) => {
    const played = playDesk([asks(call), says('Done')]);
    expect(played.run.steps).toEqual([['front'], ['after']]);
    expect(chatOf(played)).toEqual(['user: Hi', 'assistant: ', answer, 'assistant: Done']);
  });

  const refused = (tool: string): string =>
    `tool: Not handed over to tech: the call of ${tool} in the same turn has no result`;

  test.each<[string, Said, string, Partial<Stage>]>([
    ['an unknown tool', asks(['nowhere', {}, 'c'], handsTo('tech', {}, 'h')), 'nowhere', {}],
    ['invalid arguments', asks(handsTo('tech', {}, 'h'), ['lookup', { key: [] }, 'c']), 'lookup', {}],
    [
      'a call that fails',
      asks(handsTo('tech', {}, 'h'), ['lookup', { key: 'k' }, 'c']),
      'lookup',
      {
        tool: () => {
          throw new CallFailure('TOOL_FAILED', 'down');
        },
      },
    ],
  ])('a turn does not hand over beside %s, and the model is told so', (_, turn, tool, stage) => {
    const played = playDesk([turn, asks(handsTo('tech', {}, 'again'))], {}, stage);
    expect(chatOf(played)).toContain(refused(tool));
    expect(played.requests).toHaveLength(2);
    expect(played.run.steps).toEqual([['front'], ['tech']]);
  });

  const asking = (): Played =>
    playDesk([asks(['lookup', { key: 'k' }, 'c'], handsTo('tech', {}, 'h')), says('Sorry')], {
      approve: { lookup: 'always' },
    });
  const ada = { sub: 'ada', roles: ['approver'] };

  test('a hand-off waits for the approval of a call of its turn, and follows its result', () => {
    const played = asking();
    expect([played.run.run.status, played.run.steps]).toEqual(['waiting', [['front']]]);
    played.run.signal('approve', { by: ada });
    expect(played.run.steps).toEqual([['front'], ['tech']]);
    expect(chatOf(played).slice(2)).toEqual(['tool: k', 'tool: Handed over to tech']);
  });

  test('a hand-off is refused if a call of its turn is rejected', () => {
    const played = asking();
    played.run.signal('reject', { by: ada });
    expect(played.run.steps).toEqual([['front'], ['after']]);
    expect(chatOf(played).slice(3)).toEqual([refused('lookup'), 'assistant: Sorry']);
  });

  test('a hand-off is refused if nobody decides on a call of its turn in time', () => {
    const played = asking();
    played.run.passTime(8 * 24 * 3_600_000);
    expect(chatOf(played).slice(3)).toEqual([refused('lookup'), 'assistant: Sorry']);
  });
});

describe('the limits of hand-offs', () => {
  const back = [asks(handsTo('billing', {}, 'x')), asks(handsTo('front', {}, 'y'))];

  test('agents that hand over to each other end at maxSteps', () => {
    const { run, requests } = playDesk([...back, ...back, ...back], {}, { limits: { maxSteps: 5 } });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'GRAPH_RECURSION_LIMIT' } });
    expect(requests).toHaveLength(5);
  });

  test('an agent that is visited too often fails by its maxVisits', () => {
    const { run } = playDesk([...back, ...back], { maxVisits: 1 });
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'MAX_VISITS_EXCEEDED', node: 'front' } });
  });

  test('an agent that has used up its turns with tools is not offered to hand over', () => {
    const { run, requests } = playDesk([asks(['lookup', { key: 'k' }]), says('Done')], { maxIterations: 1 });
    expect(requests.map(({ tools }) => tools.length)).toEqual([4, 0]);
    expect(run.steps).toEqual([['front'], ['after']]);
  });
});

test('a hand-off that waits behind an open call survives a failure and a retry', () => {
  const turn = asks(['lookup', { key: 'k' }, 'c'], handsTo('tech', { note: 'n' }, 'h'));
  const { run } = playDesk([turn], {}, { limits: { maxToolCalls: 0 } });
  expect(run.run).toMatchObject({ status: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
  run.reopen('retry', { limits: { maxToolCalls: 5 } });
  expect([run.run.status, run.steps]).toEqual(['completed', [['front'], ['tech']]]);
});

describe('the checks of a graph with hand-offs', () => {
  const issuesOf = (first: Agent): string[] =>
    validateGraph(toJson(aDefinition(desk(first))), aCatalog())
      .filter(({ severity }) => severity === 'error')
      .map(({ code, path }) => `${code} ${path}`);

  const long = 'n'.repeat(54);
  test.each<[string, Agent, string[]]>([
    ['nodes that only hand-offs reach', {}, []],
    ['an unknown node', { handoff: ['billing', 'tech', 'nobody'] }, ['UNKNOWN_NODE /nodes/front/handoff/2']],
    ['the end', { handoff: ['billing', 'tech', '__end__'] }, ['INVALID_FIELD /nodes/front/handoff/2']],
    ['a node twice', { handoff: ['billing', 'tech', 'tech'] }, ['INVALID_FIELD /nodes/front/handoff/2']],
    [
      'a node whose tool has a name that providers refuse',
      { handoff: ['billing', 'tech', long] },
      ['INVALID_FIELD /nodes/front/handoff/2', 'UNKNOWN_NODE /nodes/front/handoff/2'],
    ],
    ['a missing node', { handoff: ['billing'] }, ['UNREACHABLE_NODE /nodes/tech']],
    ['a forced hand-off', { tools: [], toolChoice: { tool: 'handoff_to_tech' } }, []],
    [
      'an approval rule for a hand-off',
      { approve: { handoff_to_tech: 'always' } },
      ['UNKNOWN_TOOL /nodes/front/approve/handoff_to_tech'],
    ],
  ])('a handoff with %s has the issues %#', (_, first, issues) => {
    expect(issuesOf(first)).toEqual(issues);
  });

  test('the diagram of a graph draws its hand-offs', () => {
    const lines = toMermaid(aDefinition(desk())).split('\n');
    expect(lines.filter((line) => line.includes('hand-off'))).toHaveLength(3);
  });

  test('an approval that a hand-off passes by does not gate the node', () => {
    const ask: NodeDefinition = { type: 'approval', title: 'Sure?' };
    const { nodes = {}, ...others } = desk();
    const edges = [
      { from: '__start__', to: 'front' },
      { from: 'front', to: 'ask' },
      { from: 'ask', to: 'tech' },
    ];
    const gatesOf = (first: NodeDefinition | undefined) => {
      const graph = aDefinition({ ...others, nodes: { ...nodes, ask, ...(first && { front: first }) }, edges });
      return approvalGates(compileGraph(graph, aCatalog()))
        .before(['tech'])
        .map(({ id }) => id);
    };
    expect(gatesOf(nodes['front'])).toEqual([]);
    expect(gatesOf({ type: 'set' })).toEqual(['ask']);
  });
});

describe('a tool that returns goto', () => {
  const graph = (mayGoto?: readonly string[]): Partial<GraphDefinition> => ({
    nodes: {
      a: { type: 'tool', tool: 'lookup', args: { key: 'k' }, write: 'log', ...(mayGoto && { mayGoto }) },
      b: { type: 'set', write: { log: 'b' } },
      c: { type: 'set', write: { log: 'c' } },
    },
    edges: [
      { from: '__start__', to: 'a' },
      { from: 'a', to: 'b' },
      { from: '__start__', branches: [{ when: 'false', to: 'c' }, { to: '__end__' }] },
    ],
  });

  test.each([
    {
      what: 'goes there besides its edges',
      value: { goto: 'c' },
      mayGoto: ['c'],
      steps: [['a'], ['b', 'c']],
      log: ['b', 'c'],
    },
    {
      what: 'goes to several nodes',
      value: { goto: ['c', 'b'], reason: 'both' },
      mayGoto: ['b', 'c'],
      steps: [['a'], ['b', 'c']],
      log: ['b', 'c'],
    },
    {
      what: 'returns another value as its result',
      value: { found: 1 },
      mayGoto: ['c'],
      steps: [['a'], ['b']],
      log: [{ found: 1 }, 'b'],
    },
    {
      what: 'returns a result without mayGoto',
      value: { goto: 'c' },
      steps: [['a'], ['b']],
      log: [{ goto: 'c' }, 'b'],
    },
  ])('a tool node $what', ({ value, mayGoto, steps, log }) => {
    const { run } = play({ replies: [], graph: graph(mayGoto), tool: () => value });
    expect([run.steps, run.run.root.channels['log']]).toEqual([steps, log]);
  });

  test.each<[string, Json, string, string]>([
    ['a node that mayGoto lacks', { goto: 'b' }, 'INVALID_GOTO', 'goto names "b"; mayGoto allows c'],
    [
      'an update',
      { goto: 'c', update: { log: 1 } },
      'TOOL_FAILED',
      'A tool may return goto and reason; "update" is for functions',
    ],
    [
      'a control',
      { goto: 'c', control: 'abort' },
      'TOOL_FAILED',
      'A tool may return goto and reason; "control" is for functions',
    ],
  ])('a tool node fails whose tool returns goto with %s', (_, value, code, message) => {
    const { run } = play({ replies: [], graph: graph(['c']), tool: () => value });
    expect(run.run).toMatchObject({ status: 'failed', error: { code, message, node: 'a' } });
  });

  test('a tool node that makes the calls of a message takes no mayGoto', () => {
    const nodes = { a: { type: 'tool', calls: 'chat', tools: ['lookup'], mayGoto: ['a'] } };
    const definition = {
      name: 'test',
      channels: { chat: { reducer: 'messages' } },
      nodes,
      edges: [{ from: '__start__', to: 'a' }],
    };
    expect(validateGraph(definition, aCatalog()).map(({ code, path }) => `${code} ${path}`)).toEqual([
      'INVALID_FIELD /nodes/a/mayGoto',
    ]);
  });
});
