import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import type { ChildNode } from './child-node.ts';
import type { KillableTemporal } from './killable-temporal.ts';
import { FIRST_PORT } from './ports.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';
import { startProcesses } from './processes.ts';

/** API and worker as separate processes, with a Temporal server and a PostgreSQL server that can be stopped. */
export interface Deployment {
  readonly api: ChildNode;
  readonly worker: ChildNode;
  readonly temporal: KillableTemporal;
  readonly postgres: PostgresServer;
  readonly databaseUrl: string;
  as(caller: keyof CallerTokens): ApiClient;
  /** Opens a stream as a caller. */
  open(caller: keyof CallerTokens, path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** A client of the worker's health endpoint. */
  readonly workerHealth: ApiClient;
  stop(): Promise<void>;
}

/** @param config the configuration, without `auth` */
export async function startDeployment(config: ConfigInput): Promise<Deployment> {
  const teardown = openTeardown();
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const databaseUrl = await postgres.createDatabase('holdfast');
  const healthPort = await choosePort('the worker', undefined, FIRST_PORT + 25);
  const environment = { HOLDFAST_HEALTH_PORT: String(healthPort), LOG_LEVEL: 'info' };
  const { workers, apis, baseUrls, temporal, tokens } = await startProcesses(
    { databaseUrl, config, environment },
    teardown,
  );
  const [[worker], [api], [baseUrl]] = [workers, apis, baseUrls];
  if (!worker || !api || baseUrl === undefined) throw new TypeError('A deployment has a worker and an API');
  return {
    api,
    worker,
    temporal,
    postgres,
    databaseUrl,
    as: (caller) => createApiClient(baseUrl, tokens[caller]),
    open: async (caller, path, headers = {}) =>
      await fetch(new URL(path, baseUrl), { headers: { authorization: `Bearer ${tokens[caller]}`, ...headers } }),
    workerHealth: createApiClient(`http://127.0.0.1:${healthPort}`, null),
    stop: () => teardown.run(),
  };
}
