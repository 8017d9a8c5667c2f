import { createEnvironmentSecrets } from '../activities/secrets.ts';
import type { McpTools } from '../activities/tools/mcp/open-mcp-tools.ts';
import { findBadFallbacks } from './bad-fallbacks.ts';
import type { Config } from './load-config.ts';
import type { ToolConfig } from './tools.ts';

/** A configuration whose tools are complete, for as long as its MCP servers are connected. */
export interface ConnectedConfig {
  readonly config: Config;
  /** Ends the connections, and the programs that were started for them. */
  close(): Promise<void>;
}

interface Surroundings {
  /** Where secrets are. */
  readonly environment: NodeJS.ProcessEnv;
  /** Is told what somebody should know who runs the installation. */
  readonly report: (message: string) => void;
}

/**
 * Adds the tools of its MCP servers to a configuration. What wires catalogs and activities sees no difference then.
 * @throws when a server can't be used as the configuration wants it, or a tool names another one that is not there
 */
export async function connectMcpServers(config: Config, surroundings: Surroundings): Promise<ConnectedConfig> {
  const opened = await openServers(config, surroundings);
  const tools: ToolConfig[] = [...config.tools, ...opened.tools];
  const problems = [
    ...findNamesakes(tools),
    ...findBadFallbacks(tools).map(({ at, message }) => `onFailure of ${tools[at]?.name ?? ''} ${message}`),
  ];
  if (problems.length === 0) return { config: { ...config, tools }, close: () => opened.close() };
  await opened.close();
  throw new Error(`The tools of the configuration don't fit together:\n  ${problems.join('\n  ')}`);
}

const NO_TOOLS: McpTools = { tools: [], close: async () => undefined };

/** The client for MCP is large: a process loads it only where servers are configured. */
async function openServers(
  { mcpServers, http, secrets }: Config,
  { environment, report }: Surroundings,
): Promise<McpTools> {
  if (Object.keys(mcpServers).length === 0) return NO_TOOLS;
  const [{ openMcpTools }, { createGuardedFetch }] = await Promise.all([
    import('../activities/tools/mcp/open-mcp-tools.ts'),
    import('../activities/http/guarded-fetch.ts'),
  ]);
  const fetch = createGuardedFetch(http.allow);
  return await openMcpTools(mcpServers, { fetch, secrets: secrets ?? createEnvironmentSecrets(environment), report });
}

function findNamesakes(tools: readonly ToolConfig[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  return names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `two tools are named "${name}": one of them is an MCP server's`);
}

/** The same for who needs to know the tools only: the servers are left again. */
export async function learnMcpTools(config: Config, surroundings: Surroundings): Promise<Config> {
  const connected = await connectMcpServers(config, surroundings);
  await connected.close();
  return connected.config;
}
