import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiDeps } from '../../../src/api/deps.ts';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { Tokens } from '../../../src/dev/issuer.ts';
import { startStack } from '../../../src/dev/stack.ts';
import type { Stack } from '../../../src/dev/stack.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { keepForReplay } from './histories.ts';
import { takePlace } from './shared-place.ts';
import { graphJobsHere } from '../doubles/graph-jobs-here.ts';

/** The whole of Holdfast, as `npm start` runs it, in this process; at the shared servers, or with a Temporal of its own. */
export interface TestStack extends Stack {
  /** Of Temporal. */
  readonly namespace: string;
  /** `null`: it has its own, inside the process. */
  readonly databaseUrl: string | null;
  /** The folder of its state. */
  readonly dataDir: string;
  as(caller: keyof Tokens): ApiClient;
  /** Somebody without a token. */
  readonly stranger: ApiClient;
}

/**
 * @param config in JSON's terms: it is written to a file, as a user's would be; or the path of such a file
 * @param environment variables besides those of this process
 * @param sweeping when the API looks after runs; without waiting where nothing is said
 */
export async function startTestStack(
  config: ConfigInput | string,
  environment: NodeJS.ProcessEnv = {},
  sweeping: ApiDeps['sweeping'] = {},
): Promise<TestStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const file = typeof config === 'string' ? config : join(dataDir, 'holdfast.config.json');
  if (typeof config !== 'string') await writeFile(file, JSON.stringify(config));
  const variables = { ...process.env, ...(await takePlace()), ...environment };
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
