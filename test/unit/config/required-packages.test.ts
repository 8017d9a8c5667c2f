import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { requirePackages } from '../../../src/config/required-packages.ts';

const gpt = { provider: 'openai', model: 'gpt-5' } as const;

test.each<[needs: string, config: ConfigInput, lines: readonly string[]]>([
  ['a model of OpenAI', { models: { m: gpt } }, ['@ai-sdk/openai, for model "m"', 'gpt-tokenizer, for model "m"']],
  ['a model of Anthropic', { models: { m: { ...gpt, provider: 'anthropic' } } }, ['@ai-sdk/anthropic, for model "m"']],
  ['a model of Google', { models: { m: { ...gpt, provider: 'google' } } }, ['@ai-sdk/google, for model "m"']],
  [
    'models of a compatible server',
    {
      models: {
        a: { ...gpt, provider: 'openai-compatible', baseUrl: 'http://localhost:1/v1' },
        b: { ...gpt, provider: 'openai-compatible', baseUrl: 'http://localhost:1/v1' },
      },
    },
    ['@ai-sdk/openai-compatible, for model "a", model "b"'],
  ],
  [
    'search by meaning',
    { memory: { embeddings: { ...gpt, dimensions: 3 } } },
    ['@ai-sdk/openai, for memory.embeddings'],
  ],
  [
    'an MCP server',
    { mcpServers: { shop: { command: 'shop' } } },
    ['@modelcontextprotocol/sdk, for MCP server "shop"'],
  ],
])('a configuration with %s names the packages that it needs', (_, input, lines) => {
  const names = lines.map((line) => line.slice(0, line.indexOf(',')));
  expect(() => requirePackages(parseConfig('holdfast.config.ts', input), () => false)).toThrow(
    new Error(
      [
        'The configuration needs packages that are not installed:',
        ...lines.map((line) => `  ${line}`),
        `Install them: npm install ${names.join(' ')}`,
      ].join('\n'),
    ),
  );
  expect(() => requirePackages(parseConfig('holdfast.config.ts', input))).not.toThrow();
});

test('a configuration with a model of its own needs no optional package', () => {
  const config = parseConfig('holdfast.config.ts', { models: { own: { generate: () => ({ text: 'yes' }) } } });
  expect(() => requirePackages(config, () => false)).not.toThrow();
});
