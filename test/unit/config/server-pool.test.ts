import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { connectMcpServers } from '../../../src/config/connect-mcp-servers.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { createServerPool } from '../../../src/config/server-pool.ts';
import type { ServerPool } from '../../../src/config/server-pool.ts';
import type { OpenServer } from '../../../src/activities/tools/mcp/open-server.ts';
import { ODD_PROGRAM } from '../../support/doubles/mcp-tools.ts';

/** A double of an open server. @returns it, and how often it was opened and closed */
function aServer(problems: readonly string[] = []) {
  const counts = { opened: 0, closed: 0 };
  const tool = { name: 'echo', description: '', inputSchema: { type: 'object' as const } };
  const open = async (): Promise<OpenServer> => {
    counts.opened += 1;
    const listing = { tools: new Map([['echo', tool]]), warnings: [] };
    return { listing, offered: [], tools: [], problems, warnings: [], close: async () => void (counts.closed += 1) };
  };
  return { open, counts };
}

describe('the pool of MCP servers', () => {
  test('a server with the same key stays connected until its last user has closed it', async () => {
    const pool = createServerPool();
    const { open, counts } = aServer();
    const first = await pool.open('a', open);
    const second = await pool.open('a', open);
    await first.close();
    await first.close();
    expect(counts).toEqual({ opened: 1, closed: 0 });
    await second.close();
    expect(counts).toEqual({ opened: 1, closed: 1 });
    await pool.open('a', open);
    expect(counts.opened).toBe(2);
  });

  test('a server with problems is opened anew', async () => {
    const pool = createServerPool();
    const { open, counts } = aServer(['no such tool']);
    await pool.open('a', open);
    await pool.open('a', open);
    expect(counts.opened).toBe(2);
  });
});

describe('a configuration that is loaded again', () => {
  const connect = async (pool: ServerPool, given: ConfigInput) =>
    await connectMcpServers(parseConfig('here', given), { environment: {}, report: () => undefined, pool });
  const odd = { mcpServers: { odd: ODD_PROGRAM } };

  test.each<[string, ConfigInput, number]>([
    ['with the same settings keeps the server', odd, 1],
    ['with other settings starts the server anew', { mcpServers: { odd: { ...ODD_PROGRAM, timeout: '9s' } } }, 2],
    ['with a resolver of secrets does not share the server', { ...odd, secrets: async () => 'x' }, 1],
  ])('a configuration %s', async (_, again, count) => {
    const opened: string[] = [];
    const pool = createServerPool();
    const counting: ServerPool = {
      open: async (key, open) =>
        await pool.open(key, async () => {
          opened.push(key);
          return await open();
        }),
    };
    const first = await connect(counting, odd);
    const second = await connect(counting, again);
    await first.close();
    expect(second.config.tools.map(({ name }) => name)).toContain('odd.echo');
    expect(opened).toHaveLength(count);
    await second.close();
  });
});
