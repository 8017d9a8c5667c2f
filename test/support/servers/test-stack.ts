import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiDeps } from '../../../src/api/deps.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { startStack } from '../../../src/dev/stack.ts';
import type { Stack } from '../../../src/dev/stack.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { keepForReplay } from './histories.ts';
import { reserveServers } from './reserve-servers.ts';
import { graphJobsHere } from '../doubles/graph-jobs-here.ts';

/**
 * A complete stack like that of `npm start`, in this process; on the shared servers, or with its own Temporal server.
 */
export interface TestStack extends Stack {
  /** The Temporal namespace. */
  readonly namespace: string;
  /** `null` if it has an embedded database. */
  readonly databaseUrl: string | null;
  /** The folder of its state. */
  readonly dataDir: string;
  as(caller: keyof CallerTokens): ApiClient;
  /** A client without a token. */
  readonly stranger: ApiClient;
}

/**
 * @param config the configuration as JSON, which is written to a file like a user's; or the path of such a file
 * @param environment additional variables of this process
 * @param sweeping the intervals of the API's sweeper; without delays by default
 */
export async function startTestStack(
  config: ConfigInput | string,
  environment: NodeJS.ProcessEnv = {},
  sweeping: ApiDeps['sweeping'] = {},
): Promise<TestStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const file = typeof config === 'string' ? config : join(dataDir, 'holdfast.config.json');
  if (typeof config !== 'string') await writeFile(file, JSON.stringify(config));
  const variables = { ...process.env, ...(await reserveServers()), ...environment };
  const stack = await startStack({
    config: file,
    dataDir,
    port: 0,
    temporalPort: 0,
    uiPort: 0,
    environment: variables,
    sweeping: { queuesMs: 50, dispatchMs: 50, ...sweeping },
    graphJobs: graphJobsHere,
    say: (line) => process.stderr.write(`${line}\n`),
  });
  return {
    ...stack,
    namespace: variables['TEMPORAL_NAMESPACE'] ?? 'default',
    databaseUrl: variables['DATABASE_URL'] ?? null,
    dataDir,
    as: (caller) => createApiClient(stack.baseUrl, stack.tokens[caller]),
    stranger: createApiClient(stack.baseUrl, null),
    async stop() {
      await keepForReplay(async () => await Promise.resolve(stack.histories()), variables);
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
