import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import { listenOnPort } from '../../src/process/listen.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import type { Config } from '../../src/config/load-config.ts';
import { choosePort } from '../../src/dev/ports.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { provideTemporal } from '../../src/dev/open-temporal.ts';
import { startTemporalServer } from '../../src/dev/temporal-server.ts';
import type { TemporalServer } from '../../src/dev/temporal-server.ts';
import { createLogger } from '../../src/process/logger.ts';
import type { Logger } from '../../src/process/logger.ts';
import { openPostgresStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { toTemporalLogger } from '../../src/process/temporal-logger.ts';
import { createWorkers } from '../../src/worker.ts';
import { TASK_QUEUE } from '../../src/workflows/contract.ts';
import { answerAtOnce } from './instant-model.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';

/** A Temporal server, a PostgreSQL server, the server of a tool, and a Holdfast worker, all of them real. */
export interface BenchEnvironment {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly config: Config;
  readonly store: Store;
  /** The times of the tool's calls, in milliseconds of `performance.now()`. */
  readonly calls: readonly number[];
  /** Creates a separate database on the same PostgreSQL server. @returns its URL */
  createDatabase(name: string): Promise<string>;
  readonly logger: Logger;
  /** Runs a worker until the environment stops. */
  readonly keep: (worker: Worker) => void;
  stop(): Promise<void>;
}

export async function openEnvironment(): Promise<BenchEnvironment> {
  const teardown = openTeardown();
  const logger = createLogger('warn');
  Runtime.install({ logger: toTemporalLogger(logger), shutdownSignals: [] });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const temporal = await startTemporal(folder);
  teardown.add(() => temporal.stop());
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const store = await openPostgresStore(await postgres.createDatabase('bench'));
  teardown.add(() => store.close());
  const calls: number[] = [];
  const ping = (): Response => {
    calls.push(performance.now());
    return Response.json({ ok: true });
  };
  const toolServer = await listenOnPort({ fetch: ping }, { port: 0 });
  teardown.add(() => toolServer.stop());
  const connection = await NativeConnection.connect({ address: temporal.address });
  teardown.add(() => connection.close());
  const clientConnection = await Connection.connect({ address: temporal.address });
  teardown.add(() => clientConnection.close());
  const config = configFor(toolServer.url);
  const keep = (worker: Worker): void => {
    const running = worker.run();
    teardown.add(async () => {
      worker.shutdown();
      await running;
    });
  };
  const supplies = { store, logger, environment: process.env };
  const taskQueues = [TASK_QUEUE];
  const workers = await createWorkers({ config, connection, namespace: 'default', taskQueues, ...supplies });
  for (const worker of workers) keep(worker);
  return {
    client: new Client({ connection: clientConnection }),
    connection,
    config,
    store,
    calls,
    createDatabase: (name) => postgres.createDatabase(name),
    logger,
    keep,
    stop: () => teardown.run(),
  };
}

async function startTemporal(folder: string): Promise<TemporalServer> {
  return await startTemporalServer({
    executable: await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`)),
    port: await choosePort('Temporal', 0, 0),
    uiPort: await choosePort('the Temporal Web UI', 0, 0),
    databaseFile: join(folder, 'temporal.db'),
  });
}

function configFor(url: string): Config {
  return parseConfig('the bench', {
    tools: [
      {
        name: 'ping',
        description: 'Answers at once.',
        parameters: { type: 'object' },
        method: 'POST',
        url,
        effect: 'keyed',
      },
    ],
    models: {
      instant: { generate: answerAtOnce, price: { input: 3, output: 15 } },
    },
    http: { allow: [new URL(url).host] },
  });
}
