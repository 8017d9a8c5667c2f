import { describe, expect, test } from 'vitest';
import { SERVICE_NAMES } from '../../../src/config/model-services.ts';
import type { ServiceName } from '../../../src/config/model-services.ts';
import { parseConfig } from '../../../src/config/load-config.ts';

const parse = (model: object) => parseConfig('the test', { models: { default: model } }).models['default'];
const refusal = (model: object): string => {
  try {
    parse(model);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('It was accepted');
};

/** By service: the fields that its address needs, the protocol, and the address. */
const SERVICES: Readonly<Record<ServiceName, readonly [fields: object, protocol: string, address: string]>> = {
  azure: [{ resource: 'my-resource' }, 'openai', 'https://my-resource.openai.azure.com/openai/v1'],
  bedrock: [
    { region: 'eu-central-1' },
    'openai-compatible',
    'https://bedrock-runtime.eu-central-1.amazonaws.com/openai/v1',
  ],
  deepseek: [{}, 'openai-compatible', 'https://api.deepseek.com/v1'],
  groq: [{}, 'openai-compatible', 'https://api.groq.com/openai/v1'],
  mistral: [{}, 'openai-compatible', 'https://api.mistral.ai/v1'],
  ollama: [{}, 'openai-compatible', 'http://127.0.0.1:11434/v1'],
  openrouter: [{}, 'openai-compatible', 'https://openrouter.ai/api/v1'],
  vertex: [{}, 'google', 'https://aiplatform.googleapis.com/v1/publishers/google'],
  vllm: [{}, 'openai-compatible', 'http://127.0.0.1:8000/v1'],
  xai: [{}, 'openai-compatible', 'https://api.x.ai/v1'],
};

describe.each(SERVICE_NAMES)('a model of the service %s', (provider) => {
  const [fields, protocol, address] = SERVICES[provider];

  test('is asked by the protocol of a provider at the address of the service', () => {
    const model = parse({ provider, ...fields, model: 'm', apiKey: { secret: 'KEY' } });
    expect(model).toEqual({
      provider: protocol,
      baseUrl: address,
      model: 'm',
      apiKey: { secret: 'KEY' },
      stream: true,
    });
  });

  test('is asked at the given address instead', () => {
    expect(parse({ provider, model: 'm', baseUrl: 'https://proxy.example/v1' })).toMatchObject({
      provider: protocol,
      baseUrl: 'https://proxy.example/v1',
    });
  });
});

test.each([
  ['a service without its field', { provider: 'azure', model: 'm' }, '/models/default/resource: is needed'],
  ['a field of another service', { provider: 'groq', model: 'm', region: 'x' }, '/models/default/region: is no field'],
  ['a field that is no part of a host name', { provider: 'azure', model: 'm', resource: 'evil.example/' }, 'resource'],
  ['an unknown provider', { provider: 'grok', model: 'm' }, 'Did you mean "groq"?'],
  ['no provider', { model: 'm' }, 'is needed: one of openai, anthropic'],
])('a model with %s is refused', (_, model, message) => {
  expect(refusal(model)).toContain(message);
});
