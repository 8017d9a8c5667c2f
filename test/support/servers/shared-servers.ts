import type { TestProject } from 'vitest/node';
import { choosePort, retryIfPortTaken } from '../../../src/dev/ports.ts';
import { startWithTeardown } from '../../../src/dev/teardown.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { provideTemporal } from '../../../src/dev/open-temporal.ts';
import { startTemporalServer } from '../../../src/dev/temporal-server.ts';
import type { TemporalServer } from '../../../src/dev/temporal-server.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { endWhenOrphaned } from './end-when-orphaned.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { NAMESPACES, RESERVATIONS, TEMPLATE } from './reserve-servers.ts';

/** Starts the shared servers of a project's files: a Temporal server and a PostgreSQL server. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  return await startWithTeardown(async (teardown) => {
    const [temporal, postgres] = await Promise.all([openTemporal(teardown), openPostgres(teardown)]);
    provide('servers', { temporalAddress: temporal.address, postgresUrl: postgres.url });
    return () => teardown.run();
  });
}

async function openTemporal(teardown: Teardown): Promise<TemporalServer> {
  const executable = await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`));
  const server = await retryIfPortTaken(
    async () =>
      await startTemporalServer({
        executable,
        port: await choosePort('Temporal', 0, 7233),
        uiPort: await choosePort('the Temporal Web UI', 0, 8233),
        namespaces: NAMESPACES,
        // By default an execution that continues another one begins at least a second after it.
        settings: ['history.workflowIdReuseMinimalInterval="0s"'],
      }),
  );
  teardown.add(endWhenOrphaned(server.pid));
  teardown.add(() => server.stop());
  return server;
}

/** Its template has our tables; a sequence counts the reserved databases. */
async function openPostgres(teardown: Teardown): Promise<PostgresServer> {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const store = await openPostgresStore(await postgres.createDatabase(TEMPLATE));
  await store.close();
  await postgres.query(`create sequence ${RESERVATIONS}`);
  return postgres;
}
