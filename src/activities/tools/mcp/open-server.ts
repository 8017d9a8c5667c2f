import type { GuardedFetch } from '../../../network/guarded-request.ts';
import { isJsonObject } from '../../../graph/values/index.ts';
import type { JsonObject } from '../../../graph/values/index.ts';
import { useSecrets } from '../../secrets.ts';
import type { SecretResolver } from '../../secrets.ts';
import type { Tool } from '../tool.ts';
import { keepConnection, openSession } from './session.ts';
import type { ToolListing } from './list-tools.ts';
import { createMcpTool } from './mcp-tool.ts';
import { offerTools, offerUnavailable } from './offer-tools.ts';
import type { OfferedMcpTool } from './offer-tools.ts';
import { openMcpTransport } from './open-transport.ts';
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
  readonly listing: ToolListing;
  readonly offered: readonly OfferedMcpTool[];
  readonly tools: readonly Tool[];
  /** Reasons why the server can't be used as configured. */
  readonly problems: readonly string[];
  /** Faults of the server that cost some of its tools, or an optional server at all. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** Connects a server and lists its tools. Failures become problems. */
export async function openServer(server: string, settings: McpServerSettings, deps: McpDeps): Promise<OpenServer> {
  const secrets = useSecrets(deps.secrets);
  const report = (message: string): void => deps.report(secrets.redactMessage(`MCP server "${server}": ${message}`));
  const connection = keepConnection({
    open: async (closing) =>
      await openSession(await openMcpTransport(settings, { fetch: deps.fetch, secrets }), closing),
    onLost: () => report('the connection is lost'),
  });
  const close = async (): Promise<void> => await connection.close();
  const toolDeps = { connection, secrets, report };
  const toTools = (offered: readonly OfferedMcpTool[]): readonly Tool[] =>
    offered.map((tool) => createMcpTool(tool, toolDeps));
  try {
    const session = await connection.session();
    const listing = await session.tools();
    const offer = offerTools(server, settings, listing);
    const redactSchema = (schema: JsonObject): JsonObject => {
      const redacted = secrets.redactResult(schema);
      return isJsonObject(redacted) ? redacted : {};
    };
    // A server that echoes its own credentials must not bring them into the catalog of every run.
    const offered = offer.offered.map((tool) => ({
      ...tool,
      description: secrets.redact(tool.description),
      parameters: redactSchema(tool.parameters),
      outputSchema: tool.outputSchema && redactSchema(tool.outputSchema),
    }));
    return {
      listing,
      offered,
      tools: toTools(offered),
      problems: offer.problems.map((problem) => secrets.redactMessage(problem)),
      warnings: firstWarnings(offer.warnings).map((warning) => secrets.redactMessage(warning)),
      close,
    };
  } catch (error) {
    const failure = secrets.redactMessage(describeFailure(error));
    const offered = settings.optional === true ? offerUnavailable(server, settings) : [];
    return {
      listing: { tools: new Map(), warnings: [] },
      offered,
      tools: toTools(offered),
      ...(settings.optional === true
        ? { problems: [], warnings: [`It is away (${failure}); its tools fail until it is there`] }
        : { problems: [failure], warnings: [] }),
      close,
    };
  }
}

/** A server that lists a thousand faulty tools must not fill the log. */
const MAX_WARNINGS = 20;

function firstWarnings(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MAX_WARNINGS;
  return more > 0 ? [...warnings.slice(0, MAX_WARNINGS), `${more} more warnings of this kind`] : warnings;
}

/** The tools of MCP servers while their connections are open. */
export interface McpTools {
  readonly tools: readonly Tool[];
  /** Faults of servers that cost some of their tools; each names its server. */
  readonly warnings: readonly string[];
  /** Closes all connections and ends the programs started for them. */
  close(): Promise<void>;
}

/**
 * Connects MCP servers and lists their tools.
 * @param open connects one server
 * @throws if a server can't be used as configured: the message names every problem by server, and all connections are
 * closed
 */
export async function openMcpTools(
  servers: Readonly<Record<string, McpServerSettings>>,
  deps: McpDeps,
  open: typeof openServer = openServer,
): Promise<McpTools> {
  const opened = await Promise.all(
    Object.entries(servers).map(async ([name, settings]) => ({ name, ...(await open(name, settings, deps)) })),
  );
  const close = async (): Promise<void> => void (await Promise.all(opened.map(async (server) => await server.close())));
  const problems = opened.flatMap(({ name, problems }) => problems.map((problem) => `  ${name}: ${problem}`));
  const warnings = opened.flatMap(({ name, warnings }) =>
    warnings.map((warning) => `MCP server "${name}": ${warning}`),
  );
  for (const warning of warnings) deps.report(warning);
  if (problems.length === 0) return { tools: opened.flatMap(({ tools }) => tools), warnings, close };
  await close();
  throw new Error(`The MCP servers of the configuration can't be used so:\n${problems.join('\n')}`);
}
