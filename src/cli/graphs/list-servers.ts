import { createGuardedFetch } from '../../activities/http/guarded-fetch.ts';
import { createEnvironmentSecrets } from '../../activities/secrets.ts';
import { offerTools } from '../../activities/tools/mcp/offer-tools.ts';
import { openServer } from '../../activities/tools/mcp/open-server.ts';
import type { Config } from '../../config/load-config.ts';
import { own } from '../../graph/values/index.ts';
import type { Terminal } from '../line/command.ts';
import type { ServerListing } from './server-in-words.ts';

/** Lists all tools of a configuration's MCP servers, including those that are not offered. */
export async function listServers(config: Config, { env, stderr }: Terminal): Promise<readonly ServerListing[]> {
  const { mcpServers, http, secrets = createEnvironmentSecrets(env) } = config;
  const report = (message: string): void => void stderr.write(`${message}\n`);
  const deps = { fetch: createGuardedFetch(http.allow), secrets, report };
  const listing = Object.entries(mcpServers).map(async ([server, settings]): Promise<ServerListing> => {
    const open = await openServer(server, settings, deps);
    await open.close();
    const names = [...open.listed.keys()];
    const tools = Object.fromEntries(names.map((name) => [name, own(settings.tools ?? {}, name) ?? {}]));
    const { offered } = offerTools(server, { ...settings, tools }, open.listed);
    return { server, settings, tools: offered, problems: open.problems };
  });
  return await Promise.all(listing);
}
