import { describe, expect, test } from 'vitest';
import type { GraphDefinition, NodeDefinition } from '../../../src/graph/definition/definition.ts';
import type { ModelCallRequest, ModelReply } from '../../../src/graph/run/effect.ts';
import { isJsonObject } from '../../../src/graph/values/json.ts';
import { firstLogged, startRun } from '../../support/builders/runs.ts';
import { CallFailure } from '../../support/doubles/memory-shell.ts';

type Llm = Partial<NodeDefinition & { readonly type: 'llm' }>;

const channels: NonNullable<GraphDefinition['channels']> = {
  log: { reducer: 'append' },
  chat: { reducer: 'messages' },
  n: {},
};

function ask(over: Llm, replies: readonly (string | ModelReply | Error)[], rest: Partial<GraphDefinition> = {}) {
  const requests: ModelCallRequest[] = [];
  const left = [...replies];
  const model = (request: ModelCallRequest): string | ModelReply => {
    requests.push(request);
    const next = left.shift() ?? 'nothing';
    if (next instanceof Error) throw next;
    return next;
  };
  const node = { type: 'llm', prompt: 'Hello', write: { log: ['{{ result }}'] }, ...over } as const;
  return { run: startRun({ channels, nodes: { ask: node }, ...rest }, { model }), requests };
}

const usage = { inputTokens: 1, outputTokens: 1 };
const reply = (over: Partial<ModelReply>): ModelReply => ({
  kind: 'model',
  text: 'x',
  toolCalls: [],
  finishReason: 'stop',
  usage,
  ...over,
});
const failure = new CallFailure('MODEL_FAILED', 'no');
const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

describe('a model', () => {
  test('a model receives the system text and the prompt', () => {
    const { requests, run } = ask(
      { system: 'Be {{ "brief" }}', prompt: 'Say {{ 1 }}', temperature: 1, maxOutputTokens: 9 },
      ['hi'],
    );
    expect(requests).toMatchObject([
      { system: 'Be brief', messages: [{ content: 'Say 1' }], temperature: 1, maxOutputTokens: 9 },
    ]);
    expect(firstLogged(run)).toMatchObject({ text: 'hi', object: null, toolCalls: [], model: 'default' });
  });

  test('a model receives a channel of messages, and its reply is added to the channel', () => {
    const toolCalls = [{ id: 't', name: 'lookup', args: {} }];
    const nodes: GraphDefinition['nodes'] = {
      first: { type: 'set', write: { chat: { role: 'user', content: 'hi' } } },
      ask: { type: 'llm', messages: 'chat', tools: ['lookup'] },
      again: { type: 'llm', messages: 'chat', model: 'spare' },
    };
    const { run, requests } = ask({}, [reply({ toolCalls }), 'two'], { nodes });
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 2]);
    expect(run.run.root.channels['chat']).toMatchObject([
      { content: 'hi' },
      { role: 'assistant', toolCalls },
      { content: 'two' },
    ]);
  });

  test.each([[{ messages: 'n' }], [{ messages: 'nope' }], [{}]])(
    'a model receives no message if the channel %j holds none',
    (over) => {
      const { requests } = ask({}, ['x'], { nodes: { ask: { type: 'llm', ...over } } });
      expect(requests[0]?.messages).toEqual([]);
    },
  );

  test.each([
    [['default', 'spare'], [failure, 'hi'], 'completed', 'spare'],
    ['spare', ['hi'], 'completed', 'spare'],
    [['default', 'spare'], [failure, failure], 'failed', undefined],
    ['default', [failure], 'failed', undefined],
  ])('the models %j of a node that answer %j make the run %s', (...[model, replies, status, used]) => {
    const { run } = ask({ model }, replies as (string | Error)[]);
    expect(run.run.status).toBe(status);
    const result = firstLogged(run) ?? null;
    expect(isJsonObject(result) ? result['model'] : undefined).toBe(used);
  });

  test('the default model of the graph is used if the node names none', () => {
    const { requests } = ask({}, ['x'], { defaults: { model: 'spare' } });
    expect(requests[0]?.model).toBe('spare');
  });

  const truncated = reply({ text: '{"n"', finishReason: 'length' });
  test.each<[string, readonly (string | ModelReply)[]]>([
    ['never match the schema', ['{}', '{}', '{}']],
    ['are cut off', [truncated]],
  ])('a model whose replies %s is followed by the next model, which does not see these replies', (_what, useless) => {
    const { run, requests } = ask({ output, model: ['default', 'spare'] }, [...useless, '{"n": 1}']);
    expect(firstLogged(run)).toMatchObject({ object: { n: 1 }, model: 'spare' });
    expect(requests.at(-1)).toMatchObject({ model: 'spare', messages: [{ content: 'Hello' }] });
  });

  test('a model whose reply was filtered is not followed by another model', () => {
    const { run, requests } = ask({ model: ['default', 'spare'] }, [reply({ finishReason: 'content-filter' })]);
    expect(run.run.error).toMatchObject({ code: 'MODEL_FAILED', cause: { code: 'content_filter' } });
    expect(requests).toHaveLength(1);
  });
});

describe('structured output', () => {
  test.each([
    [['{"n": 1}'], { n: 1 }],
    [['no', '{"n": 2}'], { n: 2 }],
    [['{}', '[]', '{"n": 3}'], { n: 3 }],
  ])('structured output in the replies %j is read, and corrected at most twice', (...[replies, object]) => {
    const { run, requests } = ask({ output }, replies);
    expect(firstLogged(run)).toMatchObject({ object });
    expect(requests.map(({ messages }) => messages.length)).toEqual(replies.map((_, at) => 1 + 2 * at));
  });

  test.each([
    ['As asked [see the note], here it is: {"n": 1}', 1],
    ['Here: {"n": 2, "code": "```5```"}', 2],
    ['One {or two}, and in a fence:\n```json\n{"n": 3}\n```', 3],
    ['{"n": 4} as in [4]', 4],
    ['As in [1]:\n```json\n{"n": 5}\n```', 5],
  ])('structured output is found in the reply %j', (text, n) => {
    const { run, requests } = ask({ output }, [text]);
    expect([firstLogged(run), requests.length]).toMatchObject([{ object: { n } }, 1]);
  });

  test.each(['[1, 2]', 'Sure: [1, 2].'])('structured output may be the list %j', (text) => {
    expect(firstLogged(ask({ output: { type: 'array' } }, [text]).run)).toMatchObject({ object: [1, 2] });
  });

  test.each([
    [{ type: 'array' }, '{"error": "no rows", "rows": []}'],
    [{ type: 'object' }, '[{"n": 1}]'],
    [{ type: 'array' }, 'Sorry: {"error": "no rows", "rows": []}'],
  ])('structured output for the schema %j is not taken from %s', (schema, text) => {
    expect(ask({ output: schema }, [text, 'no', 'no']).run.run.error?.code).toBe('OUTPUT_SCHEMA_VIOLATION');
  });

  test('structured output that never matches the schema fails the node', () => {
    const { run } = ask({ output }, ['{}', '{}', '{}']);
    expect(run.run.error?.code).toBe('OUTPUT_SCHEMA_VIOLATION');
  });

  test('structured output that was cut off fails the node at once', () => {
    const { run, requests } = ask({ output }, [reply({ text: '{"n"', finishReason: 'length' })]);
    expect(run.run.error).toMatchObject({ code: 'MODEL_FAILED', cause: { code: 'truncated' } });
    expect(requests).toHaveLength(1);
  });
});
