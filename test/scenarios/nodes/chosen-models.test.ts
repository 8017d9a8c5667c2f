import { describe, expect, test } from 'vitest';
import { CEILINGS } from '../../../src/graph/definition/limits.ts';
import { DEFAULTS } from '../../../src/graph/definition/catalog.ts';
import type { Catalog } from '../../../src/graph/definition/catalog.ts';
import { namesUsed } from '../../../src/graph/definition/pin-catalog.ts';
import { validateGraph } from '../../../src/graph/validate/validate-graph.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { aDefinition } from '../../support/builders/builders.ts';
import { asks, modelDown, play, says, toolResultsIn } from '../../support/builders/agents.ts';
import type { Agent, Played, Said } from '../../support/builders/agents.ts';

const models: Catalog['models'] = {
  large: { price: { input: 1_000, output: 1_000 }, contextWindow: 1_000 },
  small: { price: { input: 1, output: 1 } },
  free: {},
};
const BY_TIER = { model: "{{ state.tier == 'gold' ? 'large' : 'small' }}", models: ['large', 'small'] } as const;

interface Choice extends Agent {
  readonly tier?: Json;
}

function playChoice({ tier = 'gold', ...agent }: Choice, replies: readonly Said[], limits: JsonObject = {}): Played {
  const node = { type: 'agent', prompt: 'Hello', write: { log: '{{ result.model }}' }, ...agent } as const;
  return play({
    replies,
    catalog: { models },
    limits,
    graph: { channels: { tier: { default: tier }, log: { reducer: 'append' } }, nodes: { a: node } },
  });
}

const modelsAsked = ({ requests }: Played): readonly string[] => requests.map(({ model }) => model);
const eventsOf = ({ run }: Played, type: string) => run.events.filter((event) => event.type === type);

describe('a model that a run chooses', () => {
  test.each<[string, Json, string]>([
    ['gold', 'gold', 'large'],
    ['any other', 'tin', 'small'],
  ])('the expression chooses the model by the state: %s', (_what, tier, model) => {
    const played = playChoice({ ...BY_TIER, tier }, ['done']);
    expect(modelsAsked(played)).toEqual([model]);
    expect(played.run.run).toMatchObject({ status: 'completed', output: { log: [model] } });
    expect(eventsOf(played, 'model.called')).toMatchObject([{ model }]);
  });

  test('each call is paid at the price of the model that was called, and fitted to its context', () => {
    const [large, small] = ['gold', 'tin'].map((tier) => playChoice({ ...BY_TIER, tier }, ['done']));
    const costOf = (played?: Played) => played && eventsOf(played, 'model.called').at(0);
    expect([costOf(large), costOf(small)]).toMatchObject([{ costUsd: 0.015 }, { costUsd: 0.000015 }]);
    expect([large?.requests[0]?.context, small?.requests[0]?.context]).toMatchObject([{ maxTokens: 1_000 }, null]);
  });

  test('a list of names is the chosen model and its fallbacks', () => {
    const model = '{{ ["small", "large"] }}';
    expect(modelsAsked(playChoice({ ...BY_TIER, model }, [modelDown, 'done']))).toEqual(['small', 'large']);
    expect(playChoice(BY_TIER, [modelDown]).run.run).toMatchObject({
      status: 'failed',
      error: { code: 'MODEL_FAILED' },
    });
  });

  test('a model without a price is not chosen in a run with a limit of its cost, if another one is', () => {
    const model = '{{ ["free", "small"] }}';
    const played = playChoice({ model, models: ['free', 'small'] }, ['done'], { maxCostUsd: 1 });
    expect(modelsAsked(played)).toEqual(['small']);
  });

  test.each<[string, Agent]>([
    ['a name outside of the list', { model: '{{ "free" }}' }],
    ['no text', { model: '{{ 1 }}' }],
    ['null', { model: '{{ null }}' }],
    ['an empty list', { model: '{{ [] }}' }],
    ['a list with a name outside of it', { model: '{{ ["small", "free"] }}' }],
    ['a tool outside of the list', { tools: ['lookup'], activeTools: '{{ ["charge"] }}' }],
  ])('a choice fails the node: %s', (_what, over) => {
    const { run, requests } = playChoice({ ...BY_TIER, ...over }, []);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'INVALID_CHOICE', node: 'a' } });
    expect(requests).toEqual([]);
  });
});

describe('tools that a run chooses', () => {
  const tools = ['lookup', { tool: 'charge', as: 'pay', args: { key: '{{ state.tier }}' } }] as const;
  const activeTools = "{{ state.tier == 'gold' ? ['lookup', 'pay'] : ['lookup'] }}";

  test('the model is offered the chosen tools only, and may call no other', () => {
    const replies = [asks(['pay', {}], ['lookup', { key: 'k' }]), 'done'];
    const agent = { model: 'small', tools, activeTools };
    const gold = playChoice(agent, replies);
    const tin = playChoice({ ...agent, tier: 'tin' }, replies);
    expect([gold.requests[0]?.tools, tin.requests[0]?.tools]).toEqual([['lookup', 'pay'], ['lookup']]);
    expect([toolResultsIn(gold), toolResultsIn(tin)]).toEqual([
      ['gold', 'k'],
      ['Tool not found: pay', 'k'],
    ]);
  });

  test('no tools may be chosen', () => {
    const played = playChoice({ model: 'small', tools, activeTools: '{{ [] }}' }, [says('done')]);
    expect(played.requests[0]?.tools).toEqual([]);
    expect(played.run.run.status).toBe('completed');
  });

  test('a tool node with calls makes only those that its llm node could request', () => {
    const played = play({
      replies: [asks(['pay', {}], ['lookup', { key: 'k' }])],
      catalog: { models },
      graph: {
        channels: { tier: { default: 'tin' }, chat: { reducer: 'messages' } },
        nodes: {
          ask: { type: 'llm', model: 'small', messages: 'chat', tools, activeTools },
          make: { type: 'tool', calls: 'chat' },
        },
        edges: [
          { from: '__start__', to: 'ask' },
          { from: 'ask', to: 'make' },
        ],
      },
    });
    expect(played.calls).toMatchObject([{ tool: 'lookup' }]);
    expect(played.run.run.output).toMatchObject({
      chat: [{ role: 'assistant' }, { content: 'Tool not found: pay' }, { content: 'k' }],
    });
  });
});

describe('the definition of a choice', () => {
  const catalog: Catalog = { models, tools: {}, functions: {}, defaults: DEFAULTS, ceilings: CEILINGS };
  const issuesOf = (fields: JsonObject): string[] =>
    validateGraph(
      {
        name: 'g',
        channels: { tier: { default: '' } },
        nodes: { a: { type: 'agent', prompt: 'Hello {{ state.tier }}', ...fields } },
        edges: [{ from: '__start__', to: 'a' }],
      },
      catalog,
    ).map(({ code, path }) => `${code} ${path.replace('/nodes/a', '')}`);

  test.each<[string, JsonObject, readonly string[]]>([
    ['a template and its list', { ...BY_TIER }, []],
    ['a model that is not configured', { ...BY_TIER, models: ['large', 'huge'] }, ['UNKNOWN_MODEL /models/1']],
    ['a template without a list', { model: BY_TIER.model }, ['INVALID_FIELD /model']],
    ['a list without a template', { model: 'small', models: ['large'] }, ['INVALID_FIELD /models']],
    ['an empty list', { ...BY_TIER, models: [] }, ['INVALID_FIELD /models']],
    ['an unknown channel', { ...BY_TIER, model: '{{ state.teir }}' }, ['UNKNOWN_CHANNEL /model']],
    ['tools that are not there', { model: 'small', activeTools: '{{ [] }}' }, ['INVALID_FIELD /activeTools']],
    ['a template among several models', { model: ['{{ 1 }}'] }, ['UNKNOWN_MODEL /model/0']],
  ])('a definition is checked: %s', (_what, fields, issues) => {
    expect(issuesOf(fields)).toEqual(issues);
  });

  test('a run pins all models that it may choose', () => {
    const definition = aDefinition({ nodes: { a: { type: 'agent', prompt: 'Hello', ...BY_TIER } } });
    expect(namesUsed(definition, {}).models).toEqual(['large', 'small']);
  });
});
