import { fileURLToPath } from 'node:url';
import { createGuardedFetch } from '../../../src/network/guarded-request.ts';
import { openMcpTools } from '../../../src/activities/tools/mcp/open-server.ts';
import type { Tool } from '../../../src/activities/tools/tool.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { aContext } from '../builders/call-builders.ts';

type Servers = NonNullable<ConfigInput['mcpServers']>;

/** The tools of MCP servers by name, for calls from a test. */
export interface TestedTools {
  readonly names: readonly string[];
  tool(name: string): Tool;
  call(name: string, value?: Json, over?: Parameters<typeof aContext>[0]): Promise<unknown>;
  readonly reports: readonly string[];
  close(): Promise<void>;
}

export interface McpTestEnvironment {
  readonly allow?: readonly string[];
  readonly secrets?: Readonly<Record<string, string>>;
}

/** Connects the servers of a configuration. */
export async function openTestedTools(
  mcpServers: Servers,
  { allow = [], secrets = {} }: McpTestEnvironment = {},
): Promise<TestedTools> {
  const reports: string[] = [];
  const config = parseConfig('test', { mcpServers });
  const opened = await openMcpTools(config.mcpServers, {
    fetch: createGuardedFetch(allow),
    secrets: async (name) => secrets[name] ?? Promise.reject(new Error(`No secret ${name}`)),
    report: (message) => void reports.push(message),
  });
  const tool = (name: string): Tool => {
    const found = opened.tools.find((each) => each.name === name);
    if (!found) throw new Error(`There is no tool ${name}`);
    return found;
  };
  return {
    names: opened.tools.map(({ name }) => name),
    tool,
    call: async (name, value = null, over = {}) => await tool(name).execute({ value }, aContext(over)),
    reports,
    close: async () => await opened.close(),
  };
}

const ODD = fileURLToPath(new URL('./odd-mcp-server.ts', import.meta.url));

/** The configuration of the odd server as a program. */
export const ODD_PROGRAM = { command: process.execPath, args: ['--import', 'tsx', ODD] };
