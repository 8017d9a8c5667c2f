import { describe, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { runGraph, scriptedModel } from '../../src/testing/index.ts';
import type { ScriptedModel } from '../../src/testing/index.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { aDocument, aPicture } from '../support/builders/file-parts.ts';

const SHOWN = [{ type: 'text', text: 'What is it?' }, aPicture(), { type: 'text', text: 'Be brief.' }] as const;
const asked = { id: 'm1', role: 'user', content: SHOWN } as const;

const looking = (over: Partial<GraphDefinition> = {}): GraphDefinition =>
  aDefinition({
    channels: { messages: { reducer: 'messages' }, told: {} },
    nodes: { look: { type: 'llm', messages: 'messages' } },
    edges: [{ from: '__start__', to: 'look' }],
    ...over,
  });

const play = async (graph: GraphDefinition, model: ScriptedModel, messages: Json = asked) =>
  await runGraph(graph, { messages }, { models: { default: model } });

describe('a message with a picture', () => {
  test('a message with a picture is sent to the model unchanged, and stays in the conversation', async () => {
    const model = scriptedModel(['A lamp']);
    const run = await play(looking(), model);
    expect(model.requests.map(({ messages }) => messages)).toEqual([[asked]]);
    expect(run.output).toMatchObject({ messages: [asked, { role: 'assistant', content: 'A lamp' }] });
  });

  test('a message with a picture is replaced and removed by its id', async () => {
    const nodes: GraphDefinition['nodes'] = {
      change: { type: 'set', write: { messages: [{ id: 'm1', role: 'user', content: [aDocument()] }] } },
      forget: { type: 'set', write: { messages: { remove: 'm1' } } },
    };
    const edges = [
      { from: '__start__', to: 'change' },
      { from: 'change', to: 'forget' },
    ];
    const run = await play(looking({ nodes, edges, interruptBefore: ['forget'] }), scriptedModel([]));
    expect(run.state).toMatchObject({ messages: [{ id: 'm1', content: [aDocument()] }] });
    expect((await play(looking({ nodes, edges }), scriptedModel([]))).output).toMatchObject({ messages: [] });
  });

  test('a message with a picture is read by templates as a whole, or only by its texts', async () => {
    const texts = '{{ state.messages[0].content.filter(p, p.type == "text").map(p, p.text) }}';
    const write = { told: { texts, whole: '{{ state.messages }}', line: 'Said: {{ state.messages[0].content }}' } };
    const run = await play(looking({ nodes: { look: { type: 'set', write } } }), scriptedModel([]));
    expect(run.output).toMatchObject({
      told: {
        texts: ['What is it?', 'Be brief.'],
        whole: [asked],
        line: `Said: ${JSON.stringify(SHOWN)}`,
      },
    });
  });

  test('a message with a picture can be written by a graph that fills one of its parts', async () => {
    const content = [{ type: 'image', mediaType: 'image/png', blob: '{{ state.told.id }}' }];
    const nodes: GraphDefinition['nodes'] = {
      show: { type: 'set', write: { messages: [{ role: 'user', content }] } },
      look: { type: 'llm', messages: 'messages' },
    };
    const edges = [
      { from: '__start__', to: 'show' },
      { from: 'show', to: 'look' },
    ];
    const model = scriptedModel(['A lamp']);
    await runGraph(looking({ nodes, edges }), { told: { id: 'B7' } }, { models: { default: model } });
    expect(model.requests[0]?.messages).toMatchObject([{ role: 'user', content: [aPicture({ blob: 'B7' })] }]);
  });

  test('a message with a picture counts against the budget before the model is called', async () => {
    const model = scriptedModel([]);
    const run = await play(looking({ limits: { maxTokens: 1_000 } }), model);
    expect([run.error, model.requests]).toMatchObject([{ code: 'BUDGET_EXCEEDED' }, []]);
  });
});

test('an invalid message fails the run that writes it, with the path of the error', async () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'image', url: 'ftp://a.example/b', mediaType: 'image/png' },
  ];
  const write = { messages: { role: 'user', content } };
  const run = await play(looking({ nodes: { look: { type: 'set', write } } }), scriptedModel([]));
  expect(run.error).toMatchObject({
    code: 'CHANNEL_SCHEMA_VIOLATION',
    message: expect.stringContaining('/content/1/url of a message must be an http or https URL'),
  });
});

test('messages of tools and of the system have no files', async () => {
  for (const role of ['tool', 'system']) {
    const write = { messages: { role, content: [aPicture()] } };
    const run = await play(looking({ nodes: { look: { type: 'set', write } } }), scriptedModel([]));
    expect(run.error).toMatchObject({
      code: 'CHANNEL_SCHEMA_VIOLATION',
      message: expect.stringContaining('/content/0'),
    });
  }
});
