import { createClient } from '../../../src/dev/demo/ticket.ts';
import type { Client } from '../../../src/dev/demo/ticket.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { openTeardown } from '../../../src/dev/teardown.ts';
import { startPostgres } from './postgres-server.ts';
import { startProcesses } from './processes.ts';
import { startThirdParties } from './third-parties.ts';
import type { ThirdParties } from './third-parties.ts';
import type { Victim } from './victim.ts';

export type VictimName = 'worker' | 'api' | 'temporal';

/** Deployed processes of Holdfast with the demo's configuration, and third parties that can be observed. */
export interface Cluster extends Omit<ThirdParties, 'environment'> {
  readonly temporalAddress: string;
  readonly victims: Readonly<Record<VictimName, Pick<Victim, 'kill' | 'start' | 'freeze' | 'thaw'>>>;
  as(caller: keyof CallerTokens): Client;
  stop(): Promise<void>;
}

/** The content of a cluster; by default the demo. */
export interface ClusterOptions {
  readonly config?: URL;
  readonly environment?: NodeJS.ProcessEnv;
}

export async function startCluster({
  config = new URL('./cluster.config.ts', import.meta.url),
  environment = {},
}: ClusterOptions = {}): Promise<Cluster> {
  const teardown = openTeardown();
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const thirdParties = await startThirdParties(await postgres.createDatabase('shop'), teardown);
  const {
    workers: [worker],
    apis: [api],
    baseUrls: [baseUrl],
    temporal,
    tokens,
  } = await startProcesses(
    {
      databaseUrl: await postgres.createDatabase('holdfast'),
      config,
      environment: { ...environment, ...thirdParties.environment },
    },
    teardown,
  );
  if (!worker || !api || baseUrl === undefined) throw new TypeError('A cluster has a worker and an API');
  return {
    ...thirdParties,
    temporalAddress: temporal.address,
    victims: { worker, api, temporal },
    as: (caller) => createClient(baseUrl, tokens[caller]),
    stop: () => teardown.run(),
  };
}
