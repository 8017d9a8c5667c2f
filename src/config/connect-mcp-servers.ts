import { createGuardedFetch } from '../activities/http/guarded-fetch.ts';
import { createEnvironmentSecrets } from '../activities/secrets.ts';
import { openMcpTools } from '../activities/tools/mcp/open-mcp-tools.ts';
import { findBadFallbacks } from './find-bad-fallbacks.ts';
import type { Config } from './load-config.ts';
import type { ToolConfig } from './tool.ts';

/** A configuration that includes the tools of its MCP servers, while these are connected. */
export interface ConnectedConfig {
  readonly config: Config;
  /** Closes the connections and ends the programs started for them. */
  close(): Promise<void>;
}

interface ConnectDeps {
  /** Source of secrets, unless the configuration has its own. */
  readonly environment: NodeJS.ProcessEnv;
  /** Reports problems to the operator. */
  readonly report: (message: string) => void;
}

/**
 * Adds the tools of a configuration's MCP servers to its tools; later code treats them alike.
 * @throws if a server can't be used as configured, or a tool's `onFailure` names a missing tool
 */
export async function connectMcpServers(
  config: Config,
  { environment, report }: ConnectDeps,
): Promise<ConnectedConfig> {
  const { mcpServers, http, secrets = createEnvironmentSecrets(environment) } = config;
  const opened = await openMcpTools(mcpServers, { fetch: createGuardedFetch(http.allow), secrets, report });
  const tools: ToolConfig[] = [...config.tools, ...opened.tools];
  const problems = [
    ...findDuplicateNames(tools),
    ...findBadFallbacks(tools).map(({ index, message }) => `onFailure of ${tools[index]?.name ?? ''} ${message}`),
  ];
  if (problems.length === 0) return { config: { ...config, tools }, close: () => opened.close() };
  await opened.close();
  throw new Error(`The tools of the configuration don't fit together:\n  ${problems.join('\n  ')}`);
}

function findDuplicateNames(tools: readonly ToolConfig[]): readonly string[] {
  const names = tools.map(({ name }) => name);
  return names
    .filter((name, at) => names.indexOf(name) !== at)
    .map((name) => `two tools are named "${name}": one of them is an MCP server's`);
}

/** Adds the tools of MCP servers for callers that only describe them, and closes the connections. */
export async function addMcpTools(config: Config, deps: ConnectDeps): Promise<Config> {
  const connected = await connectMcpServers(config, deps);
  await connected.close();
  return connected.config;
}
