import type { Tool } from '../tool.ts';
import { openServer } from './open-server.ts';
import type { McpDeps } from './open-server.ts';
import type { McpServerSettings } from './server-settings.ts';

/** The tools of MCP servers while their connections are open. */
export interface McpTools {
  readonly tools: readonly Tool[];
  /** Closes all connections and ends the programs started for them. */
  close(): Promise<void>;
}

/**
 * Connects MCP servers and lists their tools.
 * @throws if a server can't be used as configured: the message names every problem by server, and all connections are
 * closed
 */
export async function openMcpTools(
  servers: Readonly<Record<string, McpServerSettings>>,
  deps: McpDeps,
): Promise<McpTools> {
  const opened = await Promise.all(
    Object.entries(servers).map(async ([name, settings]) => ({ name, ...(await openServer(name, settings, deps)) })),
  );
  const close = async (): Promise<void> => void (await Promise.all(opened.map(async (server) => await server.close())));
  const problems = opened.flatMap(({ name, problems }) => problems.map((problem) => `  ${name}: ${problem}`));
  if (problems.length === 0) return { tools: opened.flatMap(({ tools }) => tools), close };
  await close();
  throw new Error(`The MCP servers of the configuration can't be used so:\n${problems.join('\n')}`);
}
