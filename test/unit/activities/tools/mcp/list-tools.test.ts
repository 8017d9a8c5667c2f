import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { listTools } from '../../../../../src/activities/tools/mcp/list-tools.ts';
import type { ToolListing } from '../../../../../src/activities/tools/mcp/list-tools.ts';

/** What a server answers to `tools/list`; `never` leaves the request open. */
type Page = Readonly<Record<string, unknown>>;

/** Lists the tools of a server that answers each request with the next page, and with the last one after that. */
async function list(pageOf: (page: number) => Page | Promise<Page>, timeoutMs = 5_000): Promise<ToolListing> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  let page = 0;
  const handle = (message: JSONRPCMessage): void => {
    if (!('id' in message) || !('method' in message)) return;
    const { id, method } = message;
    const initialized = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    };
    const result = method === 'initialize' ? initialized : pageOf(page++);
    // A page that is late meets a client that has given up.
    void Promise.resolve(result)
      .then(async (answer) => await theirs.send({ jsonrpc: '2.0', id, result: { ...answer } }))
      .catch(() => undefined);
  };
  Object.assign(theirs, { onmessage: handle });
  await theirs.start();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(ours);
  try {
    return await listTools(client, timeoutMs);
  } finally {
    await client.close();
  }
}

const ok = { name: 'ok', inputSchema: { type: 'object' } };
const nested = (levels: number): object => (levels === 0 ? {} : { not: nested(levels - 1) });

describe('a fault in a list of tools', () => {
  test.each<[string, Page, string[], RegExp[]]>([
    ['a tool without a schema', { tools: [ok, { name: 'ping' }] }, ['ok', 'ping'], []],
    [
      'members that are null',
      { tools: [{ ...ok, title: null, description: null, outputSchema: null, annotations: null }] },
      ['ok'],
      [],
    ],
    ['a schema without a type', { tools: [{ name: 'ok', inputSchema: { properties: {} } }] }, ['ok'], []],
    [
      'a schema that is a text',
      { tools: [ok, { name: 'odd', inputSchema: 'none' }] },
      ['ok'],
      [/the tool "odd" is left out, because its "inputSchema"/],
    ],
    ['a tool without a name', { tools: [{ inputSchema: {} }, ok] }, ['ok'], [/a tool without a name is left out/]],
    ['a tool that is null', { tools: [null, 7, ok] }, ['ok'], [/left out/, /left out/]],
    ['a tool that is listed twice', { tools: [ok, { ...ok, description: 'other' }] }, ['ok'], [/"ok" twice/]],
    [
      'a tool that is nested too deeply',
      { tools: [{ name: 'deep', inputSchema: nested(200) }, ok] },
      ['ok'],
      [/"deep" has more than 100 levels/],
    ],
    ['a cursor that is null', { tools: [ok], nextCursor: null }, ['ok'], [/no cursor/]],
    ['a cursor that is empty', { tools: [ok], nextCursor: '' }, ['ok'], [/no cursor/]],
    ['a cursor that is a number', { tools: [ok], nextCursor: 2 }, ['ok'], [/no cursor/]],
    ['a cursor that never changes', { tools: [ok], nextCursor: 'again' }, ['ok'], [/twice/, /same page again/]],
    ['unknown members', { tools: [{ ...ok, icon: 7, x: {} }], other: true }, ['ok'], []],
  ])(
    'a fault in an MCP server’s list of tools costs only that tool or page: %s',
    async (_what, page, names, warnings) => {
      const listing = await list(() => page);
      expect([...listing.tools.keys()]).toEqual(names);
      expect(listing.warnings).toEqual(warnings.map((warning) => expect.stringMatching(warning)));
    },
  );

  test('a fault in a later page of an MCP server’s tools leaves the tools of the earlier pages', async () => {
    const listing = await list((page) => (page === 0 ? { tools: [ok], nextCursor: 'b' } : { items: [] }));
    expect([...listing.tools.keys()]).toEqual(['ok']);
    expect(listing.warnings).toEqual(['a page of its list of tools is none']);
  });

  test('a fault in the first page of an MCP server’s tools makes the server unusable', async () => {
    await expect(list(() => ({ items: [] }))).rejects.toThrow('no list of tools');
  });
});

describe('a list without end', () => {
  const named = (name: string, title = '') => ({ name, inputSchema: { type: 'object', title } });
  test.each<[string, (page: number) => readonly unknown[], number, RegExp]>([
    ['tools', (page) => Array.from({ length: 200 }, (_, at) => named(`t${page}-${at}`)), 1_000, /more than 1000 tools/],
    ['items that are no tools', () => Array.from({ length: 5_000 }, () => 0), 0, /more than 1000 tools/],
    ['pages', (page) => [named(`t${page}`)], 100, /more than 100 pages/],
    ['text', (page) => [named(`t${page}`, 'x'.repeat(500_000))], 7, /more than 4000000 characters/],
  ])(
    'reading an endless tool list of an MCP server ends at the limit of its %s',
    async (_what, toolsOf, count, warning) => {
      const listing = await list((page) => ({ tools: toolsOf(page), nextCursor: String(page + 1) }));
      expect(listing.tools.size).toBe(count);
      expect(listing.warnings.at(-1)).toMatch(warning);
    },
  );

  test('reading an endless tool list of an MCP server ends at its time limit, however many pages there are', async () => {
    let pages = 0;
    const slow = async (page: number): Promise<Page> => {
      pages += 1;
      return await new Promise((resolve) => setTimeout(resolve, 60, { tools: [], nextCursor: String(page + 1) }));
    };
    await expect(list(slow, 300)).rejects.toThrow(/timed out/i);
    expect(pages).toBeLessThanOrEqual(10);
  });
});
