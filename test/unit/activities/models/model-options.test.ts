import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../src/activities/models/model.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../../src/graph/values/json.ts';
import { askModel, onlyRequest } from '../../../support/doubles/asked-model.ts';
import type { Provider } from '../../../support/doubles/asked-model.ts';
import { json } from '../../../support/doubles/loopback-server.ts';
import { useLoopbackServer } from '../../../support/doubles/use-loopback-server.ts';

/* A node's options for its model are sent in the format of each provider. */

const server = await useLoopbackServer();

async function sent(provider: Provider, request: Partial<ModelRequest>, model?: string): Promise<Json> {
  server.answers(json({ error: { message: 'Not now' } }, 503));
  await askModel(server, provider, { request, ...(model !== undefined && { model }) }).catch(() => null);
  return toJson(onlyRequest(server).body);
}

const tools = [{ name: 'crm.lookup', description: '', parameters: { type: 'object' } }] as const;

describe('a choice of tools', () => {
  test.each<[Provider, NonNullable<ModelRequest['toolChoice']>, JsonObject]>([
    ['openai', 'required', { tool_choice: 'required' }],
    ['openai', 'none', { tool_choice: 'none' }],
    ['openai', { tool: 'crm.lookup' }, { tool_choice: { type: 'function', name: 'crm_lookup' } }],
    ['openai-compatible', 'required', { tool_choice: 'required' }],
    [
      'openai-compatible',
      { tool: 'crm.lookup' },
      { tool_choice: { type: 'function', function: { name: 'crm_lookup' } } },
    ],
    ['anthropic', 'required', { tool_choice: { type: 'any' } }],
    ['anthropic', { tool: 'crm.lookup' }, { tool_choice: { type: 'tool', name: 'crm_lookup' } }],
    ['google', 'required', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
    ['google', 'none', { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
    [
      'google',
      { tool: 'crm.lookup' },
      { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['crm_lookup'] } } },
    ],
  ])('the choice of tools is sent to %s, here %j', async (provider, toolChoice, body) => {
    expect(await sent(provider, { tools, toolChoice })).toMatchObject(body);
  });
});

describe('reasoning', () => {
  test.each<[Provider, string, Partial<ModelRequest>, JsonObject]>([
    ['openai', 'gpt-5.1', {}, { reasoning: { effort: 'medium' }, store: false }],
    ['openai-compatible', 'some-model', {}, { reasoning_effort: 'medium' }],
    ['anthropic', 'claude-sonnet-4-5', {}, { thinking: { type: 'enabled', budget_tokens: 4_096 } }],
    [
      'anthropic',
      'claude-sonnet-4-5',
      { maxOutputTokens: 4_000 },
      { thinking: { type: 'enabled', budget_tokens: 2_000 }, max_tokens: 4_000 },
    ],
    ['anthropic', 'claude-opus-4-6', {}, { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
    [
      'anthropic',
      'claude-opus-4-6',
      { tools, toolChoice: 'required' },
      { output_config: { effort: 'medium' }, tool_choice: { type: 'any' } },
    ],
    ['google', 'gemini-2.5-flash', {}, { generationConfig: { thinkingConfig: { thinkingBudget: 8_192 } } }],
    [
      'google',
      'gemini-2.5-flash',
      { maxOutputTokens: 1_000 },
      { generationConfig: { thinkingConfig: { thinkingBudget: 500 }, maxOutputTokens: 1_000 } },
    ],
    ['google', 'gemini-3-flash-preview', {}, { generationConfig: { thinkingConfig: { thinkingLevel: 'medium' } } }],
  ])('the reasoning setting is sent to %s %s with %j', async (...row) => {
    const [provider, model, request, body] = row;
    expect(await sent(provider, { ...request, reasoning: 'medium' }, model)).toMatchObject(body);
  });

  const [user, call, answer] = [
    { id: 'm1', role: 'user', content: 'Look' },
    { id: 'm2', role: 'assistant', content: '', toolCalls: [{ id: 't1', name: 'crm.lookup', args: {} }] },
    { id: 'm3', role: 'tool', content: 'Lost', toolCallId: 't1' },
  ] as const;

  test.each<[Provider, string, Partial<ModelRequest>]>([
    ['openai', 'gpt-4.1', {}],
    ['anthropic', 'claude-3-5-haiku-latest', {}],
    ['anthropic', 'claude-sonnet-4-5', { maxOutputTokens: 2_000 }],
    ['anthropic', 'claude-sonnet-4-5', { tools, toolChoice: 'required' }],
    ['anthropic', 'claude-sonnet-4-5', { tools, messages: [user, call, answer] }],
    ['google', 'gemini-2.0-flash', {}],
  ])(
    'the reasoning setting is omitted for %s %s, which does not support it with %j',
    async (provider, model, request) => {
      const body = JSON.stringify(await sent(provider, { ...request, reasoning: 'high' }, model));
      expect(body).not.toMatch(/think|reasoning|effort/);
    },
  );
});

test.each<[Provider, JsonObject]>([
  ['openai', { parallel_tool_calls: false, store: false }],
  ['anthropic', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
  ['google', { generationConfig: { mediaResolution: 'MEDIA_RESOLUTION_LOW' } }],
  ['openai-compatible', { user: 'u7' }],
])('provider options of %s are sent only to it', async (provider, body) => {
  const providerOptions = {
    openai: { parallelToolCalls: false },
    anthropic: { disableParallelToolUse: true },
    google: { mediaResolution: 'MEDIA_RESOLUTION_LOW' },
    'openai-compatible': { user: 'u7' },
  } as const;
  const whole = await sent(provider, { tools, providerOptions });
  expect(whole).toMatchObject(body);
  const others = ['parallel_tool_calls', 'disable_parallel', 'mediaResolution', '"user":"u7"'];
  expect(others.filter((name) => JSON.stringify(whole).includes(name))).toHaveLength(1);
});
