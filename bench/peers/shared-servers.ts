import { openTeardown } from '../../src/dev/teardown.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { startEchoTool } from './echo-tool.ts';
import type { SharedServers } from './peer.ts';

/** Executes work with its own servers, and stops all of them afterwards, also at a signal. */
export async function withSharedServers(
  isBuilt: boolean,
  work: (servers: SharedServers) => Promise<void>,
): Promise<void> {
  const teardown = openTeardown();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void teardown.run().then(() => process.exit(1)));
  try {
    const tool = await startEchoTool();
    teardown.add(() => tool.stop());
    const postgres = await startPostgres();
    teardown.add(() => postgres.stop());
    await work({ tool, postgres, isBuilt, teardown });
  } finally {
    await teardown.run();
  }
}
