import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config.ts';
import type { Tokens } from '../../src/dev/issuer.ts';
import { startStack } from '../../src/dev/stack.ts';
import type { Stack } from '../../src/dev/stack.ts';
import { createApiClient } from './api-client.ts';
import type { ApiClient } from './api-client.ts';

/** The whole of Holdfast, as `npm start` runs it, in this process and a Temporal server. */
export interface TestStack extends Stack {
  as(caller: keyof Tokens): ApiClient;
  /** Somebody without a token. */
  readonly stranger: ApiClient;
}

/**
 * @param config in JSON's terms: it is written to a file, as a user's would be; or the path of such a file
 * @param environment variables besides those of this process
 */
export async function startTestStack(
  config: ConfigInput | string,
  environment: NodeJS.ProcessEnv = {},
): Promise<TestStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  const file = typeof config === 'string' ? config : join(dataDir, 'holdfast.config.json');
  if (typeof config !== 'string') await writeFile(file, JSON.stringify(config));
  const stack = await startStack({
    config: file,
    dataDir,
    port: 0,
    temporalPort: 0,
    uiPort: 0,
    environment: { ...process.env, ...environment },
    say: (line) => process.stderr.write(`${line}\n`),
  });
  return {
    ...stack,
    as: (caller) => createApiClient(stack.baseUrl, stack.tokens[caller]),
    stranger: createApiClient(stack.baseUrl, null),
    async stop() {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
