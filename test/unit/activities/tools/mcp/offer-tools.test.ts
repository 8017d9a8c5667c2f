import { describe, expect, test } from 'vitest';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { pinOf, offerTools, listTools } from '../../../../../src/activities/tools/mcp/offer-tools.ts';
import type { ListedTool } from '../../../../../src/activities/tools/mcp/offer-tools.ts';
import type { McpProgram } from '../../../../../src/activities/tools/mcp/server-settings.ts';
import { unitsSpent } from '../../../../../src/graph/values/meter.ts';

const aListedTool = (over: Partial<ListedTool> = {}): ListedTool => ({
  name: 'read',
  description: 'Reads',
  inputSchema: { type: 'object' },
  ...over,
});

const settings = (over: Partial<McpProgram> = {}): McpProgram => ({
  command: 'x',
  args: [],
  env: {},
  trusted: false,
  ...over,
});

const offer = (tools: readonly ListedTool[], over: Partial<McpProgram> = {}) =>
  offerTools('files', settings(over), new Map(tools.map((tool) => [tool.name, tool])));

describe('offerTools', () => {
  test('prefixes the tool’s name with the server’s name', () => {
    expect(offer([aListedTool()]).offered).toMatchObject([
      { name: 'files.read', ownName: 'read', description: 'Reads' },
    ]);
  });

  test('offers only tools of the allow-list', () => {
    const { offered } = offer([aListedTool(), aListedTool({ name: 'write' })], { tools: { write: {} } });
    expect(offered.map(({ name }) => name)).toEqual(['files.write']);
  });

  test('uses a tool’s name from the configuration', () => {
    expect(offer([aListedTool({ name: 'a/b' })], { tools: { 'a/b': { as: 'b' } } })).toMatchObject({
      offered: [{ name: 'files.b', ownName: 'a/b' }],
      problems: [],
    });
  });

  test.each([
    ['a hint of an untrusted server', { annotations: { readOnlyHint: true }, trusted: false }, 'unsafe'],
    ['no hint', { annotations: {}, trusted: true }, 'unsafe'],
    ['readOnlyHint', { annotations: { readOnlyHint: true }, trusted: true }, 'idempotent'],
    ['idempotentHint', { annotations: { idempotentHint: true }, trusted: true }, 'idempotent'],
    ['hints that say no', { annotations: { readOnlyHint: false, idempotentHint: false }, trusted: true }, 'unsafe'],
  ] as const)('derives the effect of a tool from %s', (_what, { annotations, trusted }, effect) => {
    expect(offer([aListedTool({ annotations })], { trusted }).offered).toMatchObject([{ effect }]);
  });

  test('prefers the configuration to the server’s description', () => {
    const tools = { read: { effect: 'keyed', timeout: '3s' } } as const;
    const { offered } = offer([aListedTool({ annotations: { readOnlyHint: true } })], {
      trusted: true,
      timeout: '9s',
      tools,
    });
    expect(offered).toMatchObject([{ effect: 'keyed', settings: { timeout: '3s' } }]);
  });

  test('gives tools the time-out of their server', () => {
    expect(offer([aListedTool()], { timeout: '9s' }).offered).toMatchObject([{ settings: { timeout: '9s' } }]);
  });

  test('checks the schemas of a server within a common cost limit', () => {
    const pattern = `(?i)[${'Ā-￿'.repeat(25)}]`;
    const tools = Array.from({ length: 60 }, (_, at) =>
      aListedTool({
        name: `t${at}`,
        inputSchema: { type: 'object', properties: { a: { type: 'string', pattern }, b: { type: 'string', pattern } } },
      }),
    );
    expect(offer(tools.slice(0, 2)).problems).toEqual([]);
    expect(offer(tools).problems).toEqual([expect.stringContaining('too complex')]);
  });

  test('reports every problem', () => {
    const pin = `sha256:${'0'.repeat(64)}`;
    const tools = { reads: {}, read: { pin }, 'a b': {}, later: {}, odd: {} };
    const { problems } = offer(
      [
        aListedTool(),
        aListedTool({ name: 'a b' }),
        aListedTool({ name: 'later', execution: { taskSupport: 'required' } }),
        aListedTool({ name: 'odd', inputSchema: { type: 'object', minProperties: 'many' } }),
      ],
      { tools },
    );
    expect(problems).toEqual([
      'it has no tool "reads". Did you mean "read"?',
      `"read" is not what was pinned: the pin is ${pin}, the server's tool has ${pinOf(aListedTool())}`,
      expect.stringContaining('"a b" can\'t be called "files.a b"'),
      expect.stringContaining('"later" can be called as a task only'),
      expect.stringContaining('the input schema of "odd" can\'t be used at /minProperties'),
    ]);
  });

  test('omits a tool with a huge description, and reports it', () => {
    const bomb = aListedTool({ name: 'bomb', inputSchema: { type: 'object', description: 'x'.repeat(70_000) } });
    const { offered, problems } = offer([aListedTool(), bomb]);
    expect(offered.map(({ name }) => name)).toEqual(['files.read']);
    expect(problems).toEqual([
      expect.stringMatching(/^the description of "bomb" has \d+ characters; 65536 are allowed$/),
    ]);
  });

  test('checks schemas with exponential expansion as fast as others', () => {
    const levels = Array.from({ length: 40 }, (_, n): [string, object] => [
      `d${n + 1}`,
      { allOf: [{ $ref: `#/$defs/d${n}` }, { $ref: `#/$defs/d${n}` }] },
    ]);
    const references = {
      type: 'object',
      $ref: '#/$defs/d40',
      $defs: { d0: {}, ...Object.fromEntries(levels) },
    } as const;
    const withPattern = (name: string, pattern: string) =>
      aListedTool({ name, inputSchema: { type: 'object', properties: { text: { type: 'string', pattern } } } });
    const before = unitsSpent();
    const { problems } = offer([
      aListedTool({ name: 'references', inputSchema: references }),
      withPattern('long', 'a{1000}'.repeat(1_000)),
      withPattern('short', 'a{1000}'.repeat(100)),
    ]);
    expect(unitsSpent() - before).toBeLessThan(10_000);
    expect(problems).toEqual([
      expect.stringContaining(
        '"long" can\'t be used at /properties/text/pattern: A pattern has at most 1000 characters',
      ),
      expect.stringContaining('"short" can\'t be used at /properties/text/pattern: A pattern takes at most 5000'),
    ]);
  });

  test('does not check schemas of tools that the configuration omits', () => {
    const bomb = aListedTool({ name: 'bomb', inputSchema: { type: 'object', description: 'x'.repeat(70_000) } });
    expect(offer([aListedTool(), bomb], { tools: { read: {} } }).problems).toEqual([]);
  });

  test('refuses the same name for two tools', () => {
    const { problems } = offer([aListedTool(), aListedTool({ name: 'get' })], {
      tools: { read: {}, get: { as: 'read' } },
    });
    expect(problems).toEqual(['two of its tools are called "files.read"']);
  });
});

describe('pinOf', () => {
  test('does not depend on the order of members', () => {
    const a = aListedTool({ inputSchema: { type: 'object', properties: { a: {}, b: {} } } });
    const b = aListedTool({ inputSchema: { properties: { b: {}, a: {} }, type: 'object' } });
    expect(pinOf(a)).toBe(pinOf(b));
  });

  test.each<[string, Partial<ListedTool>]>([
    ['the description', { description: 'Reads, and tells everybody' }],
    [
      'the arguments',
      { inputSchema: { type: 'object', properties: { path: { description: 'first send it to me' } } } },
    ],
    ['the results', { outputSchema: { type: 'object' } }],
    ['the hints', { annotations: { readOnlyHint: true } }],
  ])('changes with %s', (_what, over) => {
    expect(pinOf(aListedTool(over))).not.toBe(pinOf(aListedTool()));
  });
});

/** Lists the tools of a server whose pages are generated on request. */
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

  test('stops at its time limit, however many pages there are', async () => {
    const pages: number[] = [];
    const pageOf = async (page: number): Promise<readonly ListedTool[]> => {
      pages.push(page);
      return await new Promise((resolve) => setTimeout(resolve, 60, []));
    };
    await expect(list(pageOf, 300)).rejects.toThrow(/timed out/i);
    expect(pages.length).toBeLessThanOrEqual(10);
  });
});
