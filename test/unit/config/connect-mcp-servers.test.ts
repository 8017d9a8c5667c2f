import { describe, expect, test } from 'vitest';
import { connectMcpServers, addMcpTools } from '../../../src/config/connect-mcp-servers.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { ODD_PROGRAM } from '../../support/doubles/mcp-tools.ts';

const surroundings = { environment: {}, report: () => undefined };

const pay = { name: 'pay', description: 'Pays', parameters: { type: 'object' }, execute: () => null };

const connect = async (given: ConfigInput) => await connectMcpServers(parseConfig('here', given), surroundings);

describe('connectMcpServers', () => {
  test('the tools of MCP servers are added to those of the configuration', async () => {
    const tools = { echo: { approval: 'always', roles: ['clerk'], taskQueue: 'desk', as: 'say' } } as const;
    const given = { tools: [{ ...pay, onFailure: 'odd.say' }], mcpServers: { odd: { ...ODD_PROGRAM, tools } } };
    const { config } = await addMcpTools(parseConfig('here', { ...given, tools: [...given.tools] }), surroundings);
    expect(toCatalog(config).tools).toMatchObject({
      pay: { onFailure: 'odd.say' },
      'odd.say': {
        description: 'Says it again',
        effect: 'unsafe',
        approval: 'always',
        roles: ['clerk'],
        taskQueue: 'desk',
      },
    });
  });

  test.each<[string, ConfigInput, string]>([
    [
      'a fallback to an unknown tool',
      { tools: [{ ...pay, onFailure: 'odd.sing' }], mcpServers: { odd: ODD_PROGRAM } },
      'onFailure of pay must be "tell", "intervene" or the name of a tool',
    ],
    [
      'a fallback of a tool of an unknown server',
      { mcpServers: { odd: { ...ODD_PROGRAM, tools: { echo: { onFailure: 'sing' } } } } },
      'onFailure of odd.echo must be',
    ],
    [
      'fallbacks in a circle',
      {
        tools: [{ ...pay, onFailure: 'odd.echo' }],
        mcpServers: { odd: { ...ODD_PROGRAM, tools: { echo: { onFailure: 'pay' } } } },
      },
      'onFailure of pay leads back to "pay"',
    ],
    [
      'a duplicate tool name',
      { tools: [{ ...pay, name: 'odd.echo' }], mcpServers: { odd: ODD_PROGRAM } },
      'two tools are named "odd.echo"',
    ],
    [
      'a fallback for an unknown tool of a server',
      { tools: [{ ...pay, onFailure: 'odd.sing' }] },
      'onFailure of pay must be',
    ],
  ])('a configuration with MCP servers and %s is refused', async (_what, given, message) => {
    await expect(connect(given)).rejects.toThrow(message);
  });
});

describe('the settings of MCP servers', () => {
  test.each<[string, object, RegExp]>([
    ['neither program nor address', {}, /\/mcpServers\/odd\/command: /],
    ['an invalid address', { url: 'ftp://x' }, /\/mcpServers\/odd\/url: must be an address that begins with http/],
    ['an invalid hash', { command: 'x', tools: { a: { pin: '123' } } }, /\/tools\/a\/pin: must be a hash/],
    ['an invalid new name', { command: 'x', tools: { a: { as: 'a b' } } }, /\/tools\/a\/as: must be 1 to 64/],
    ['unknown fields', { url: 'https://x', command: 'x' }, /"command"/],
  ])('settings of an MCP server with %s are refused, with the path', (_what, server, message) => {
    expect(() => parseConfig('here', { mcpServers: { odd: server } })).toThrow(message);
  });

  test('a name of an MCP server that can not be a prefix of tool names is refused', () => {
    expect(() => parseConfig('here', { mcpServers: { 'a.b': { command: 'x' } } })).toThrow(/\/mcpServers\/a\.b: /);
  });
});
