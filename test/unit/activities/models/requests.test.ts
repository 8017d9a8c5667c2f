import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../src/activities/models/model.ts';
import type { Message, ToolCall } from '../../../../src/graph/definition/message.ts';
import { isJsonList, isJsonObject } from '../../../../src/graph/values/json.ts';
import { MODELS, PROVIDERS, askModel, onlyRequest } from '../../../support/doubles/asked-model.ts';
import type { AskedModelSettings, Provider } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import type { ReceivedRequest } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

const server = await useLoopbackServer();

/** Returns the request sent to a provider, whatever the response. */
async function sent(
  provider: Provider,
  asking: AskedModelSettings = {},
): Promise<Omit<ReceivedRequest, 'body'> & { body: unknown }> {
  server.answers(json({ error: { message: 'Not now' } }, 503));
  await askModel(server, provider, asking).catch(() => null);
  return onlyRequest(server);
}

const parameters = { type: 'object', properties: { order: { type: 'number' } }, required: ['order'] } as const;

const CONVERSATION: Partial<ModelRequest> = {
  system: 'Be brief.',
  messages: [
    { id: 'm1', role: 'user', content: 'Where are 7 and 8?' },
    {
      id: 'm2',
      role: 'assistant',
      content: 'I look.',
      toolCalls: [
        { id: 't1', name: 'crm.lookup', args: { order: 7 } },
        { id: 't2', name: 'crm.lookup', args: { order: 8 } },
      ],
    },
    { id: 'm3', role: 'tool', content: 'On its way', toolCallId: 't1' },
    { id: 'm4', role: 'tool', content: 'Lost', toolCallId: 't2' },
  ],
  tools: [{ name: 'crm.lookup', description: 'Looks an order up', parameters }],
  temperature: 0.5,
  maxOutputTokens: 500,
};

describe('a conversation with tools', () => {
  test('a conversation with tools is sent to OpenAI in the format of the Responses API', async () => {
    const { method, target, headers, body } = await sent('openai', { request: CONVERSATION });
    expect({ method, target }).toEqual({ method: 'POST', target: '/v1/responses' });
    expect(headers).toMatchObject({ authorization: 'Bearer key-4711', 'content-type': 'application/json' });
    expect(body).toEqual({
      model: MODELS.openai,
      store: false,
      temperature: 0.5,
      max_output_tokens: 500,
      input: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Where are 7 and 8?' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 't1', name: 'crm_lookup', arguments: '{"order":7}' },
        { type: 'function_call', call_id: 't2', name: 'crm_lookup', arguments: '{"order":8}' },
        { type: 'function_call_output', call_id: 't1', output: 'On its way' },
        { type: 'function_call_output', call_id: 't2', output: 'Lost' },
      ],
      tools: [{ type: 'function', name: 'crm_lookup', description: 'Looks an order up', parameters, strict: false }],
    });
  });

  test('a conversation with tools is sent to Anthropic in the format of the Messages API', async () => {
    const { method, target, headers, body } = await sent('anthropic', { request: CONVERSATION });
    expect({ method, target }).toEqual({ method: 'POST', target: '/v1/messages' });
    expect(headers).toMatchObject({ 'x-api-key': 'key-4711', 'anthropic-version': '2023-06-01' });
    expect(headers).not.toHaveProperty('authorization');
    expect(body).toEqual({
      model: MODELS.anthropic,
      temperature: 0.5,
      max_tokens: 500,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Where are 7 and 8?' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 't1', name: 'crm_lookup', input: { order: 7 } },
            { type: 'tool_use', id: 't2', name: 'crm_lookup', input: { order: 8 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'On its way' },
            { type: 'tool_result', tool_use_id: 't2', content: 'Lost' },
          ],
        },
      ],
      tools: [{ name: 'crm_lookup', description: 'Looks an order up', input_schema: parameters }],
    });
  });

  test('a conversation with tools is sent to Google in the format of generateContent', async () => {
    const { method, target, headers, body } = await sent('google', { request: CONVERSATION });
    expect({ method, target }).toEqual({ method: 'POST', target: `/v1/models/${MODELS.google}:generateContent` });
    expect(headers).toMatchObject({ 'x-goog-api-key': 'key-4711' });
    const call = (id: string, order: number): object => ({ functionCall: { id, name: 'crm_lookup', args: { order } } });
    const response = (id: string, content: string): object => ({
      functionResponse: { id, name: 'crm_lookup', response: { name: 'crm_lookup', content } },
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Where are 7 and 8?' }] },
        { role: 'model', parts: [{ text: 'I look.' }, call('t1', 7), call('t2', 8)] },
        { role: 'user', parts: [response('t1', 'On its way'), response('t2', 'Lost')] },
      ],
      generationConfig: { temperature: 0.5, maxOutputTokens: 500 },
      tools: [{ functionDeclarations: [{ name: 'crm_lookup', description: 'Looks an order up', parameters }] }],
    });
  });

  test('a conversation with tools is sent to an OpenAI-compatible server in the format of chat completions', async () => {
    const { method, target, headers, body } = await sent('openai-compatible', { request: CONVERSATION });
    expect({ method, target }).toEqual({ method: 'POST', target: '/v1/chat/completions' });
    expect(headers).toMatchObject({ authorization: 'Bearer key-4711' });
    const call = (id: string, order: number): object => ({
      id,
      type: 'function',
      function: { name: 'crm_lookup', arguments: `{"order":${order}}` },
    });
    expect(body).toEqual({
      model: MODELS['openai-compatible'],
      temperature: 0.5,
      max_tokens: 500,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Where are 7 and 8?' },
        { role: 'assistant', content: 'I look.', tool_calls: [call('t1', 7), call('t2', 8)] },
        { role: 'tool', tool_call_id: 't1', content: 'On its way' },
        { role: 'tool', tool_call_id: 't2', content: 'Lost' },
      ],
      tools: [{ type: 'function', function: { name: 'crm_lookup', description: 'Looks an order up', parameters } }],
    });
  });
});

test('tool calls with the same id are sent to the provider with two ids', async () => {
  const call = (order: number): ToolCall => ({ id: 'k', name: 'crm.lookup', args: { order } });
  const messages: Message[] = [
    { id: 'm1', role: 'assistant', content: '', toolCalls: [call(7), call(8)] },
    { id: 'm2', role: 'tool', content: 'On its way', toolCallId: 'k' },
    { id: 'm3', role: 'tool', content: 'Lost', toolCallId: 'k' },
    { id: 'm4', role: 'assistant', content: '', toolCalls: [call(9)] },
    { id: 'm5', role: 'tool', content: 'Here', toolCallId: 'k' },
  ];
  const { body } = await sent('openai-compatible', { request: { ...CONVERSATION, system: null, messages } });
  const ids = /^(k|call_[0-9a-f]{16})$/;
  const said = isJsonObject(body) && isJsonList(body['messages']) ? body['messages'].filter(isJsonObject) : [];
  const asked = said.flatMap(({ tool_calls: calls }) => (isJsonList(calls) ? calls.filter(isJsonObject) : []));
  expect(new Set(asked.map(({ id }) => id)).size).toBe(3);
  for (const { id } of asked) expect(id).toMatch(ids);
  const answered = said.filter(({ role }) => role === 'tool');
  expect(answered.map(({ tool_call_id: id }) => id)).toEqual(asked.map(({ id }) => id));
  expect(answered.map(({ content }) => content)).toEqual(['On its way', 'Lost', 'Here']);
});

describe('an output schema', () => {
  const open = { type: 'object', properties: { intent: { enum: ['a', 'b'] } } } as const;
  const closed = { ...open, required: ['intent'], additionalProperties: false } as const;
  const tools = [{ name: 'lookup', description: 'Looks up', parameters }];

  test.each<[string, Partial<ModelRequest>, boolean]>([
    ['strict where OpenAI supports the schema', { output: closed }, true],
    ['not strict where OpenAI would refuse it', { output: open }, false],
    ['together with tools', { output: closed, tools }, true],
  ])('an output schema is a JSON schema for OpenAI, %s', async (_how, request, strict) => {
    const { body } = await sent('openai', { request });
    const schema = request.output;
    expect(body).toMatchObject({ text: { format: { type: 'json_schema', name: 'response', strict, schema } } });
  });

  test('an output schema is a JSON schema for an OpenAI-compatible server', async () => {
    const { body } = await sent('openai-compatible', { request: { output: open } });
    const json_schema = { name: 'response', strict: false, schema: open };
    expect(body).toMatchObject({ response_format: { type: 'json_schema', json_schema } });
  });

  test('an output schema is an output format for Anthropic models that support it', async () => {
    const { body } = await sent('anthropic', { request: { output: closed } });
    expect(body).toMatchObject({ output_config: { format: { type: 'json_schema', schema: closed } } });
    expect(body).not.toHaveProperty('tools');
  });

  test('an output schema is a response schema for Google in its own format', async () => {
    const { body } = await sent('google', { request: { output: closed } });
    expect(body).toMatchObject({
      generationConfig: {
        responseMimeType: 'application/json',
        responseSchema: { type: 'object', properties: { intent: { type: 'string', enum: ['a', 'b'] } } },
      },
    });
  });

  test.each(['anthropic', 'google', 'openai-compatible'] as const)(
    'an output schema is in the system prompt for %s when there are tools',
    async (provider) => {
      const { body } = await sent(provider, { request: { output: closed, tools, system: 'Be brief.' } });
      const text = JSON.stringify(body);
      expect(text).toContain(
        'Be brief.\\n\\nWhen you have what you need and call no more tools, answer with JSON only',
      );
      expect(text).toContain(JSON.stringify(JSON.stringify(closed)).slice(1, -1));
      expect(text).not.toMatch(/json_schema|responseMimeType/);
      expect(text).toContain('Looks up');
    },
  );

  test.each(['anthropic', 'google'] as const)(
    'an output schema with an open object is in the system prompt for %s, which would close it',
    async (provider) => {
      const output = { type: 'object', properties: { fields: { type: 'object' } } } as const;
      const { body } = await sent(provider, { request: { output } });
      expect(JSON.stringify(body)).toContain('Answer with JSON only');
      expect(JSON.stringify(body)).not.toMatch(/json_schema|responseMimeType/);
    },
  );
});

describe.each(PROVIDERS)('%s', (provider) => {
  test('a model provider receives no options that were not requested', async () => {
    const { body } = await sent(provider);
    const text = JSON.stringify(body);
    expect(text).not.toMatch(/temperature|"tools"|tool_?choice|response_?format|stream|system/i);
  });

  test('a tool without parameters, and a tool that accepts any arguments, are sent to a model provider', async () => {
    const request: Partial<ModelRequest> = {
      tools: [
        { name: 'now', description: 'Tells the time', parameters: true },
        { name: 'log', description: 'Logs', parameters: { type: 'object', properties: { what: true } } },
      ],
    };
    const { body } = await sent(provider, { request });
    expect(JSON.stringify(body)).toContain('Tells the time');
    expect(JSON.stringify(body)).not.toMatch(/"(parameters|input_schema|what)":(true|\{"type":"boolean)/);
  });

  test('a model provider receives names and ids in a spelling that it accepts', async () => {
    const messages: ModelRequest['messages'] = [
      { id: 'm1', role: 'user', content: 'Go' },
      { id: 'm2', role: 'assistant', content: '', toolCalls: [{ id: 'r/1:t', name: 'a tool!', args: 'no object' }] },
      { id: 'm3', role: 'tool', content: 'Tool not found', toolCallId: 'r/1:t' },
    ];
    const { body } = await sent(provider, { request: { messages } });
    const text = JSON.stringify(body);
    expect(text).toContain('a_tool_');
    expect(text).not.toMatch(/r\/1:t|a tool!/);
    expect(new Set(text.match(/call_[0-9a-f]{16}/g))).toHaveProperty('size', 1);
    expect(text.replaceAll('\\', '')).toContain('{"arguments":"no object"}');
  });

  test('a model provider receives no messages without content', async () => {
    const messages: ModelRequest['messages'] = [
      { id: 'm1', role: 'system', content: '' },
      { id: 'm2', role: 'user', content: 'Hi' },
      { id: 'm3', role: 'assistant', content: '' },
      { id: 'm4', role: 'user', content: 'Still there?' },
    ];
    const { body } = await sent(provider, { request: { messages, system: '' } });
    expect(JSON.stringify(body)).not.toMatch(/"role":"(system|assistant|model)"|"system/);
  });
});

describe('a system message between other messages', () => {
  const messages: ModelRequest['messages'] = [
    { id: 'm1', role: 'user', content: 'Hi' },
    { id: 'm2', role: 'system', content: 'Be kind.' },
  ];

  test('a system message between other messages is moved to the beginning for Anthropic', async () => {
    const { body } = await sent('anthropic', { request: { system: 'Be brief.', messages } });
    expect(body).toMatchObject({ system: [{ text: 'Be brief.' }, { text: 'Be kind.' }], messages: [{ role: 'user' }] });
  });

  test('a system message between other messages is moved to the beginning for Google', async () => {
    const { body } = await sent('google', { request: { system: 'Be brief.', messages } });
    expect(body).toMatchObject({ systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] } });
  });

  test('a system message between other messages keeps its position for OpenAI and compatible servers', async () => {
    const { body } = await sent('openai-compatible', { request: { messages } });
    expect(body).toMatchObject({ messages: [{ role: 'user' }, { role: 'system', content: 'Be kind.' }] });
  });
});

test('Anthropic receives the tool definitions of past calls when no tool may be called any more', async () => {
  const { body } = await sent('anthropic', { request: { ...CONVERSATION, tools: [] } });
  expect(body).toMatchObject({
    tools: [{ name: 'crm_lookup', input_schema: { type: 'object', properties: {} } }],
    tool_choice: { type: 'none' },
  });
});

describe('a stream', () => {
  test.each(['openai', 'anthropic', 'openai-compatible'] as const)(
    'a stream is requested from %s in the request body',
    async (provider) => {
      const { body } = await sent(provider, { stream: true });
      expect(body).toMatchObject({ stream: true });
    },
  );

  test('a stream is requested from Google by the URL', async () => {
    const { target } = await sent('google', { stream: true });
    expect(target).toBe(`/v1/models/${MODELS.google}:streamGenerateContent?alt=sse`);
  });

  test('a stream of an OpenAI-compatible server is requested with the usage', async () => {
    const { body } = await sent('openai-compatible', { stream: true });
    expect(body).toMatchObject({ stream_options: { include_usage: true } });
  });
});

test('a reasoning model of OpenAI is asked for the encrypted reasoning that later requests need', async () => {
  const { body } = await sent('openai', { model: 'gpt-5', request: { system: 'Be brief.' } });
  const include = ['reasoning.encrypted_content'];
  expect(body).toMatchObject({ store: false, include, input: [{ role: 'developer' }, { role: 'user' }] });
});
