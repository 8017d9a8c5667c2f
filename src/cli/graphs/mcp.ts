import type { OfferedMcpTool } from '../../activities/tools/mcp/offer-tools.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { EXIT, defineCommand, NO_OPERANDS } from '../line/command.ts';
import { CONFIG_FLAG, findConfig, readConfig } from '../input/read-catalog.ts';

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'list the tools of MCP servers, with effects and pins',
  operands: NO_OPERANDS,
  about: `Lists the tools of the MCP servers of a configuration: on standard error what the servers say of them, to be
    read before it is approved; on standard output their effects and pins, ready for "mcpServers".`,
  flags: { config: CONFIG_FLAG },
  exits: {
    0: 'all servers can be used as they are configured',
    1: "some can't",
    2: 'wrong usage, or no configuration',
  },
  readsEnvFile: true,
  async action({ values }, terminal) {
    const config = await readConfig(findConfig(values.config, terminal));
    const { requirePackages } = await import('../../config/required-packages.ts');
    requirePackages(config);
    const { formatServer, listServers } = await import('./list-servers.ts');
    const listings = await listServers(config, terminal);
    for (const listing of listings) terminal.stderr.write(formatServer(listing));
    const pins = Object.fromEntries(listings.map(({ server, tools }) => [server, { tools: toToolPins(tools) }]));
    terminal.stdout.write(`${JSON.stringify(pins, null, 2)}\n`);
    return listings.every(({ problems }) => problems.length === 0) ? EXIT.done : EXIT.failed;
  },
});

function toToolPins(tools: readonly OfferedMcpTool[]): JsonObject {
  return Object.fromEntries(tools.map(({ ownName, effect, pin }) => [ownName, { effect, pin }]));
}
