import type { OfferedTool } from '../activities/tools/mcp/offer-tools.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/load-config.ts';
import type { JsonObject } from '../graph/values/index.ts';
import { messageOf } from '../graph/values/index.ts';
import { EXIT, UsageError } from './command.ts';
import type { Command, Terminal } from './command.ts';
import { describeServer } from './describe-server.ts';
import { findConfig } from './read-catalog.ts';
import { readFlags } from './read-flags.ts';

const HELP = `Usage: holdfast mcp [flags]

Lists the tools of the MCP servers of a configuration: on standard error what the servers say of them, to be read before
it is approved; on standard output their effects and pins, ready for "mcpServers".

  --config FILE   the configuration (default: HOLDFAST_CONFIG, or holdfast.config.ts, .js or .json here)

Exit code: 0 all servers can be used as they are configured; 1 some can't; 2 wrong usage, or no configuration.
`;

export const mcp: Command = {
  summary: 'list the tools of MCP servers, with effects and pins',
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = readFlags(args, { config: { type: 'string' } });
    if (positionals.length > 0) throw new UsageError('mcp takes flags only');
    const { listServers } = await import('./list-servers.ts');
    const listings = await listServers(await readConfig(values.config, terminal), terminal);
    for (const listing of listings) terminal.stderr.write(describeServer(listing));
    const pins = Object.fromEntries(listings.map(({ server, tools }) => [server, { tools: toPins(tools) }]));
    terminal.stdout.write(`${JSON.stringify(pins, null, 2)}\n`);
    return listings.every(({ problems }) => problems.length === 0) ? EXIT.done : EXIT.failed;
  },
};

async function readConfig(file: string | undefined, terminal: Terminal): Promise<Config> {
  try {
    return await loadConfig(findConfig(file, terminal));
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

function toPins(tools: readonly OfferedTool[]): JsonObject {
  return Object.fromEntries(tools.map(({ ownName, effect, pin }) => [ownName, { effect, pin }]));
}
