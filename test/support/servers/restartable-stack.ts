import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import type { CallerTokens } from '../../../src/dev/issuer.ts';
import { startStack } from '../../../src/dev/stack.ts';
import type { Stack } from '../../../src/dev/stack.ts';
import { createApiClient } from '../readers/api-client.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { graphJobsHere } from '../doubles/graph-jobs-here.ts';
import { keepForReplay } from './histories.ts';

/** A complete stack that can be stopped and restarted with the same state. */
export interface RestartableStack {
  /** A client of the running stack. */
  as(caller: keyof CallerTokens): ApiClient;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRestartableStack(config: ConfigInput): Promise<RestartableStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const file = join(dataDir, 'holdfast.config.json');
  await writeFile(file, JSON.stringify(config));
  const start = async (): Promise<Stack> =>
    await startStack({
      config: file,
      dataDir,
      port: 0,
      temporalPort: 0,
      uiPort: 0,
      environment: { ...process.env },
      graphJobs: graphJobsHere,
      say: (line) => process.stderr.write(`${line}\n`),
    });
  let stack = await start();
  return {
    as: (caller) => createApiClient(stack.baseUrl, stack.tokens[caller]),
    async restart() {
      await stack.stop();
      stack = await start();
    },
    async stop() {
      await keepForReplay(async () => await Promise.resolve(stack.histories()), process.env);
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
