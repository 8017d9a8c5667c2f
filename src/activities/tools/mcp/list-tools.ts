import { createHash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { canonicalJson, toJson } from '../../../graph/values/index.ts';
import { addListSize } from './tool-size.ts';

/** A tool as its server describes it; the text is not trusted. */
export type ListedTool = Tool;

/** Limits for servers that list without end. */
const MAX_TOOLS = 1_000;
const MAX_PAGES = 100;

/**
 * Lists a server's tools, page by page. The SDK's `listTools` would compile their schemas to code, which is unsafe for
 * schemas that are not trusted.
 * @param timeoutMs limit for all pages together
 * @throws if the answer is no list of tools, or exceeds the limits
 */
export async function listTools(client: Client, timeoutMs: number): Promise<ReadonlyMap<string, ListedTool>> {
  const tools = new Map<string, ListedTool>();
  if (!client.getServerCapabilities()?.tools) return tools;
  const endsAt = Date.now() + timeoutMs;
  let cursor: string | undefined;
  let size = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, {
      timeout: Math.max(1, endsAt - Date.now()),
    });
    size = addListSize(size, result.tools);
    addTo(tools, result.tools);
    cursor = result.nextCursor;
    if (cursor === undefined) return tools;
  }
  throw new Error(`Its list of tools has more than ${MAX_PAGES} pages`);
}

function addTo(tools: Map<string, ListedTool>, page: readonly ListedTool[]): void {
  for (const tool of page) {
    if (tools.has(tool.name)) throw new Error(`It lists the tool "${tool.name}" twice`);
    tools.set(tool.name, tool);
  }
  if (tools.size > MAX_TOOLS) throw new Error(`It lists more than ${MAX_TOOLS} tools`);
}

/** Hashes what models, checks and permissions depend on: a tool's description, schemas and annotations. */
export function pinOf({ description, inputSchema, outputSchema, annotations }: ListedTool): string {
  const text = canonicalJson(toJson({ description, inputSchema, outputSchema, annotations }));
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
