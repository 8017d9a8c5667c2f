import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { listTools } from '../../../../../src/activities/tools/mcp/list-tools.ts';
import type { ListedTool } from '../../../../../src/activities/tools/mcp/list-tools.ts';

/** Lists the tools of a server whose pages are made when they are asked for. */
async function list(
  pageOf: (page: number) => Promise<readonly ListedTool[]> | readonly ListedTool[],
  timeoutMs = 5_000,
) {
  const server = new Server({ name: 'bomb', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    return { tools: [...(await pageOf(page))], nextCursor: String(page + 1) };
  });
  const client = new Client({ name: 'test', version: '1' });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  try {
    return await listTools(client, timeoutMs);
  } finally {
    await client.close();
  }
}

const named = (name: string, inputSchema: ListedTool['inputSchema'] = { type: 'object' }): ListedTool => ({
  name,
  inputSchema,
});

function nested(levels: number): object {
  let schema: object = {};
  for (let level = 0; level < levels; level++) schema = { not: schema };
  return schema;
}

describe('listTools', () => {
  test.each([
    ['too many tools', (page: number) => Array.from({ length: 200 }, (_, at) => named(`t${page}-${at}`)), /1000 tools/],
    ['too many pages', () => [], /100 pages/],
    [
      'too much text',
      (page: number) => [named(`t${page}`, { type: 'object', title: 'x'.repeat(500_000) })],
      /4000000 characters/,
    ],
    ['too many levels', () => [named('deep', { type: 'object', properties: { x: nested(1_000) } })], /100 levels/],
    ['one name twice', () => [named('same')], /"same" twice/],
  ] as const)('gives up on %s', async (_what, pageOf, message) => {
    await expect(list(pageOf)).rejects.toThrow(message);
  });

  test('takes no longer than its limit, however many pages there are', async () => {
    const pages: number[] = [];
    const pageOf = async (page: number): Promise<readonly ListedTool[]> => {
      pages.push(page);
      return await new Promise((resolve) => setTimeout(resolve, 60, []));
    };
    await expect(list(pageOf, 300)).rejects.toThrow(/timed out/i);
    expect(pages.length).toBeLessThanOrEqual(10);
  });
});
