import { createGuardedFetch } from '../../network/guarded-request.ts';
import { createEnvironmentSecrets } from '../../activities/secrets.ts';
import { offerTools } from '../../activities/tools/mcp/offer-tools.ts';
import type { OfferedMcpTool } from '../../activities/tools/mcp/offer-tools.ts';
import { openServer } from '../../activities/tools/mcp/open-server.ts';
import type { Config } from '../../config/load-config.ts';
import { formatCount, own, escapeInvisible } from '../../graph/values/index.ts';
import type { Terminal } from '../line/command.ts';
import type { McpServerSettings } from '../../activities/tools/mcp/server-settings.ts';

/** Lists all tools of a configuration's MCP servers, including those that are not offered. */
export async function listServers(config: Config, { env, stderr }: Terminal): Promise<readonly ServerListing[]> {
  const { mcpServers, http, secrets = createEnvironmentSecrets(env) } = config;
  const report = (message: string): void => void stderr.write(`${message}\n`);
  const deps = { fetch: createGuardedFetch(http.allow), secrets, report };
  const listing = Object.entries(mcpServers).map(async ([server, settings]): Promise<ServerListing> => {
    const open = await openServer(server, settings, deps);
    await open.close();
    const names = [...open.listing.tools.keys()];
    const tools = Object.fromEntries(names.map((name) => [name, own(settings.tools ?? {}, name) ?? {}]));
    const { offered } = offerTools(server, { ...settings, tools }, open.listing);
    return { server, settings, tools: offered, problems: open.problems, warnings: open.warnings };
  });
  return await Promise.all(listing);
}

/** A configured server with all its tools. */
export interface ServerListing {
  readonly server: string;
  readonly settings: McpServerSettings;
  readonly tools: readonly OfferedMcpTool[];
  /** Reasons why the server can't be used as configured. */
  readonly problems: readonly string[];
  /** Faults of the server that cost some of its tools. */
  readonly warnings: readonly string[];
}

/** Describes a server's tools for the person who approves them. */
export function formatServer({ server, settings, tools, problems, warnings }: ServerListing): string {
  return [
    `${server}: ${formatCount(tools.length, 'tool')}`,
    ...problems.map((problem) => `  ! ${escapeInvisible(problem)}`),
    ...warnings.map((warning) => `  warning: ${escapeInvisible(warning)}`),
    ...tools.map((tool) => formatTool(tool, settings)),
    '',
  ].join('\n');
}

function formatTool(tool: OfferedMcpTool, settings: McpServerSettings): string {
  const { ownName, effect, description, parameters, outputSchema } = tool;
  const texts = [
    description,
    `takes ${JSON.stringify(parameters, null, 2)}`,
    ...(outputSchema ? [`gives ${JSON.stringify(outputSchema, null, 2)}`] : []),
  ];
  const body = texts.map((text) => escapeInvisible(text).replaceAll(/^/gm, '    ')).join('\n');
  return `  ${escapeInvisible(ownName)} (${effect}, ${describePin(tool, settings)})\n${body}`;
}

function describePin({ ownName, pin, settings }: OfferedMcpTool, { tools }: McpServerSettings): string {
  if (tools && !own(tools, ownName)) return 'not offered';
  if (settings.pin === undefined) return 'not pinned';
  return settings.pin === pin ? 'pinned' : 'changed since it was pinned';
}
