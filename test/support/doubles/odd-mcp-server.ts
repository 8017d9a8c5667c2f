import { createInterface } from 'node:readline';
import { z } from 'zod';
import { toTemplateText } from '../../../src/graph/values/json.ts';
import { toJson, toJsonObject } from '../../../src/graph/values/to-json.ts';
import type { Json, JsonObject } from '../../../src/graph/values/json.ts';
import { isMain } from '../../../src/process/own-code.ts';

/** An MCP server that breaks rules. It uses plain JSON-RPC, because a library would correct its mistakes. */
export interface OddMcpServer {
  /** Handles a message. Its answers go to `send`, now or later. */
  hear(message: string): void;
}

const McpMessage = z.object({
  id: z.union([z.int(), z.string()]).optional(),
  /** Responses have no method. */
  method: z.string().default(''),
  params: z
    .looseObject({
      name: z.string().optional(),
      cursor: z.string().optional(),
      arguments: z.looseObject({ value: z.unknown() }).optional(),
    })
    .optional(),
});
type McpParams = NonNullable<z.infer<typeof McpMessage>['params']>;

export function readMcpMessage(text: string): z.infer<typeof McpMessage> {
  return McpMessage.parse(JSON.parse(text));
}

const SCHEMA = { type: 'object', properties: { value: {} } };

export function createOddMcpServer(send: (message: JsonObject) => void): OddMcpServer {
  const heard: JsonObject[] = [];
  let description = 'Says it again';
  const answer = (id: Json, result: JsonObject): void => send({ jsonrpc: '2.0', id, result });
  const text = (value: string): JsonObject => ({ content: [{ type: 'text', text: value }] });

  const list = (cursor: string | undefined): JsonObject =>
    cursor === 'more'
      ? { tools: BEHAVIORS.map((name) => ({ name, inputSchema: SCHEMA })) }
      : {
          tools: [
            { name: 'echo', description, inputSchema: SCHEMA, annotations: { readOnlyHint: true } },
            {
              name: 'typed',
              inputSchema: SCHEMA,
              outputSchema: { type: 'object', properties: { n: { type: 'number' } } },
            },
          ],
          nextCursor: 'more',
        };

  const behaviors: Readonly<Record<string, (id: Json, value: Json) => void>> = {
    echo: (id, value) => answer(id, text(toTemplateText(value))),
    typed: (id, value) => answer(id, { content: [], structuredContent: { n: value } }),
    fail: (id, value) => answer(id, { ...text(toTemplateText(value)), isError: true }),
    refuse: (id, value) => send({ jsonrpc: '2.0', id, error: { code: Number(value), message: 'No' } }),
    complain: (id, value) => send({ jsonrpc: '2.0', id, error: { code: -32603, message: toTemplateText(value) } }),
    parts: (id) => answer(id, { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
    nothing: (id) => answer(id, { content: [] }),
    large: (id, value) => answer(id, text('x'.repeat(Number(value)))),
    nonsense: (id) => answer(id, { content: 'no list' }),
    slow: () => undefined,
    flood(_, value) {
      for (let n = 0; n < Number(value); n++) send({ jsonrpc: '2.0', id: `ping ${n}`, method: 'ping' });
    },
    die: () => process.exit(7),
    environment: (id, value) => answer(id, text(process.env[toTemplateText(value)] ?? 'unset')),
    pid: (id) => answer(id, text(String(process.pid))),
    heard: (id) => answer(id, { content: [], structuredContent: { heard } }),
    change: (id, value) => {
      description = toTemplateText(value);
      send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      answer(id, { content: [] });
    },
  };
  const BEHAVIORS = Object.keys(behaviors).filter((name) => name !== 'echo' && name !== 'typed');

  const methods: Readonly<Record<string, (id: Json, params: McpParams) => void>> = {
    initialize: (id) =>
      answer(id, {
        protocolVersion: '2025-06-18',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'odd', version: '1' },
      }),
    'tools/list': (id, { cursor }) => answer(id, list(cursor)),
    'tools/call': (id, { name = '', arguments: args }) => behaviors[name]?.(id, toJson(args?.value ?? null)),
  };
  return {
    hear(message) {
      const { id = null, method, params = {} } = readMcpMessage(message);
      heard.push(toJsonObject({ id, method, params }));
      methods[method]?.(id, params);
    },
  };
}

/** Runs the server as a program, over standard input and output. */
function main(): void {
  const server = createOddMcpServer((message) => void process.stdout.write(`${JSON.stringify(message)}\n`));
  if (process.env['STUBBORN'] === 'yes') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1_000);
  }
  console.error('The odd server has started');
  createInterface({ input: process.stdin }).on('line', (line) => server.hear(line));
}

if (isMain(import.meta.url)) main();
