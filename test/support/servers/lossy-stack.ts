import { Client, Connection } from '@temporalio/client';
import type { ConfigInput } from '../../../src/config/load-config.ts';
import { choosePort, retryIfPortTaken } from '../../../src/dev/ports.ts';
import { startWithTeardown } from '../../../src/dev/teardown.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { provideTemporal } from '../../../src/dev/open-temporal.ts';
import { startTemporalServer } from '../../../src/dev/temporal-server.ts';
import type { TemporalServer } from '../../../src/dev/temporal-server.ts';
import { sharedTemporal } from './reserve-servers.ts';
import { startTemporalProxy } from './temporal-proxy.ts';
import type { TemporalProxy } from './temporal-proxy.ts';
import { startTestStack } from './test-stack.ts';
import type { TestStack } from './test-stack.ts';

/** A complete stack whose connection to Temporal, or to the shared server, loses the messages that a test selects. */
export interface LossyStack extends TestStack {
  readonly proxy: TemporalProxy;
  /** A client of Temporal that bypasses the proxy. */
  readonly temporal: Client;
}

export async function startLossyStack(config: ConfigInput): Promise<LossyStack> {
  return await startWithTeardown(async (teardown) => await start(config, teardown));
}

async function start(config: ConfigInput, teardown: Teardown): Promise<LossyStack> {
  const address = sharedTemporal() ?? (await addressOfOwn(teardown));
  const proxy = await startTemporalProxy(address);
  teardown.add(() => proxy.stop());
  const connection = await Connection.connect({ address });
  teardown.add(() => connection.close());
  const stack = await startTestStack(config, { TEMPORAL_ADDRESS: proxy.address });
  teardown.add(() => stack.stop());
  return {
    ...stack,
    proxy,
    temporal: new Client({ connection, namespace: stack.namespace }),
    stop: () => teardown.run(),
  };
}

async function addressOfOwn(teardown: Teardown): Promise<string> {
  const server = await retryIfPortTaken(startServer);
  teardown.add(() => server.stop());
  return server.address;
}

async function startServer(): Promise<TemporalServer> {
  return await startTemporalServer({
    executable: await provideTemporal(process.env, (line) => process.stderr.write(`${line}\n`)),
    port: await choosePort('Temporal', 0, 7233),
    uiPort: await choosePort('the Temporal Web UI', 0, 8233),
  });
}
