import { createEnvironmentSecrets } from '../activities/secrets.ts';
import type { McpTools } from '../activities/tools/mcp/open-server.ts';
import type { Config } from './load-config.ts';
import type { ToolConfig } from './tool.ts';
import { requirePackages } from './required-packages.ts';
import type { ServerPool } from './server-pool.ts';
import { findBadFallbacks } from './tool-list.ts';

/** A configuration that includes the tools of its MCP servers, while these are connected. */
export interface ConnectedConfig {
  readonly config: Config;
  /** Faults of servers that cost some of their tools; each names its server. */
  readonly warnings: readonly string[];
  /** Closes the connections and ends the programs started for them. */
  close(): Promise<void>;
}

interface ConnectDeps {
  /** Source of secrets, unless the configuration has its own. */
  readonly environment: NodeJS.ProcessEnv;
  /** Reports problems to the operator. */
  readonly report: (message: string) => void;
  /** Keeps servers connected whose settings are the same the next time. */
  readonly pool?: ServerPool;
}

/**
 * Adds the tools of a configuration's MCP servers to its tools; later code treats them alike.
 * @throws if a package that the configuration needs is missing, a server can't be used as configured, or a tool's
 * `onFailure` names a missing tool
 */
export async function connectMcpServers(config: Config, deps: ConnectDeps): Promise<ConnectedConfig> {
  requirePackages(config);
  const opened = await openServers(config, deps);
  const tools: ToolConfig[] = [...config.tools, ...opened.tools];
  const problems = [
    ...findDuplicateNames(tools),
    ...findBadFallbacks(tools).map(({ index, message }) => `onFailure of ${tools[index]?.name ?? ''} ${message}`),
  ];
  if (problems.length === 0)
    return { config: { ...config, tools }, warnings: opened.warnings, close: () => opened.close() };
  await opened.close();
  throw new Error(`The tools of the configuration don't fit together:\n  ${problems.join('\n  ')}`);
}

const NO_TOOLS: McpTools = { tools: [], warnings: [], close: async () => undefined };

/** Opens the MCP servers. The client is large, so a process loads it only if servers are configured. */
async function openServers(
  { mcpServers, http, secrets }: Config,
  { environment, report, pool }: ConnectDeps,
): Promise<McpTools> {
  if (Object.keys(mcpServers).length === 0) return NO_TOOLS;
  const [{ openMcpTools, openServer }, { createGuardedFetch }] = await Promise.all([
    import('../activities/tools/mcp/open-server.ts'),
    import('../network/guarded-request.ts'),
  ]);
  const fetch = createGuardedFetch(http.allow);
  const deps = { fetch, secrets: secrets ?? createEnvironmentSecrets(environment), report };
  // The values of a resolver in the configuration may differ the next time.
  if (!pool || secrets) return await openMcpTools(mcpServers, deps);
  return await openMcpTools(mcpServers, deps, async (name, settings) => {
    const key = JSON.stringify([name, settings, http.allow]);
    return await pool.open(key, async () => await openServer(name, settings, deps));
  });
}

function findDuplicateNames(tools: readonly ToolConfig[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  return names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `two tools are named "${name}": one of them is an MCP server's`);
}

/** Adds the tools of MCP servers for callers that only describe them, and closes the connections. */
export async function addMcpTools(config: Config, deps: ConnectDeps): Promise<Omit<ConnectedConfig, 'close'>> {
  const connected = await connectMcpServers(config, deps);
  await connected.close();
  return { config: connected.config, warnings: connected.warnings };
}
