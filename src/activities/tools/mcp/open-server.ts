import type { GuardedFetch } from '../../../network/guarded-request.ts';
import { useSecrets } from '../../secrets.ts';
import type { SecretResolver } from '../../secrets.ts';
import type { Tool } from '../tool.ts';
import { keepConnection, openSession } from './session.ts';
import type { ToolList } from './session.ts';
import { createMcpTool } from './mcp-tool.ts';
import { offerTools } from './offer-tools.ts';
import type { OfferedTool } from './offer-tools.ts';
import { openTransport } from './open-transport.ts';
import type { McpServerSettings } from './server-settings.ts';
import { describeFailure } from './to-call-error.ts';

export interface McpDeps {
  readonly fetch: GuardedFetch;
  readonly secrets: SecretResolver;
  /** Reports problems to the operator. */
  readonly report: (message: string) => void;
}

/** A connected server with its tools; its problems may prevent their use. */
export interface OpenServer {
  readonly listed: ToolList;
  readonly offered: readonly OfferedTool[];
  readonly tools: readonly Tool[];
  /** Reasons why the server can't be used as configured. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

/** Connects a server and lists its tools. Failures become problems. */
export async function openServer(server: string, settings: McpServerSettings, deps: McpDeps): Promise<OpenServer> {
  const secrets = useSecrets(deps.secrets);
  const report = (message: string): void => deps.report(secrets.redactMessage(`MCP server "${server}": ${message}`));
  const connection = keepConnection({
    open: async (closing) => await openSession(await openTransport(settings, { fetch: deps.fetch, secrets }), closing),
    onLost: () => report('the connection is lost'),
  });
  const close = async (): Promise<void> => await connection.close();
  try {
    const session = await connection.session();
    const listed = await session.tools();
    const offer = offerTools(server, settings, listed);
    // A server that echoes its own credentials must not bring them into the catalog of every run.
    const offered = offer.offered.map((tool) => ({ ...tool, description: secrets.redact(tool.description) }));
    const toolDeps = { connection, secrets, report };
    return {
      listed,
      offered,
      tools: offered.map((tool) => createMcpTool(tool, toolDeps)),
      problems: offer.problems.map((problem) => secrets.redactMessage(problem)),
      close,
    };
  } catch (error) {
    return {
      listed: new Map(),
      offered: [],
      tools: [],
      problems: [secrets.redactMessage(describeFailure(error))],
      close,
    };
  }
}

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
