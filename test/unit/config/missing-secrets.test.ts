import { expect, test } from 'vitest';
import { defineTool } from '../../../src/config/tool-methods.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { findMissingSecrets } from '../../../src/config/missing-secrets.ts';

const KEY = { secret: 'A_KEY' } as const;
const SHOP = {
  name: 'shop',
  description: 'Asks the shop.',
  parameters: {},
  method: 'GET',
  url: 'https://shop.example/orders',
} as const;
const MODEL = { provider: 'openai', model: 'm' } as const;

test.each<[user: string, ConfigInput]>([
  ['tool shop', { tools: [{ ...SHOP, headers: { authorization: KEY, accept: 'text/plain' } }] }],
  [
    'tool pay',
    {
      tools: [
        defineTool({ name: 'pay', description: 'Pays.', parameters: {}, secrets: ['A_KEY'], execute: () => null }),
      ],
    },
  ],
  ['model fast', { models: { fast: { ...MODEL, apiKey: KEY } } }],
  ['MCP server docs', { mcpServers: { docs: { url: 'https://docs.example/mcp', headers: { 'x-key': KEY } } } }],
  ['MCP server files', { mcpServers: { files: { command: 'files', env: { KEY, MODE: 'read' } } } }],
  ['the model of embeddings', { memory: { embeddings: { ...MODEL, dimensions: 3, apiKey: KEY } } }],
])('a secret that %s needs and the environment lacks is reported', (user, input) => {
  const config = parseConfig('a test', input);
  const expected = `The environment holds no secret A_KEY, used by ${user}`;
  expect(findMissingSecrets(config, {})).toEqual([expected]);
  expect(findMissingSecrets(config, { A_KEY: '' })).toEqual([expected]);
  expect(findMissingSecrets(config, { A_KEY: 'x' })).toEqual([]);
});

test('a secret with several users is reported once, with all of them', () => {
  const tools = [{ ...SHOP, headers: { authorization: KEY, 'x-key': KEY } }];
  const config = parseConfig('a test', { tools, models: { fast: { ...MODEL, apiKey: KEY } } });
  expect(findMissingSecrets(config, {})).toEqual([
    'The environment holds no secret A_KEY, used by tool shop, model fast',
  ]);
});

test('secrets of a configuration with its own resolver are not reported', () => {
  const models = { fast: { ...MODEL, apiKey: KEY } };
  expect(findMissingSecrets(parseConfig('a test', { models, secrets: async () => 'x' }), {})).toEqual([]);
});
