import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { cachedRuns } from '../../src/workers/worker-options.ts';
import { BARE_QUEUE } from './bare-queue.ts';

/** A worker of the SDK with default settings, and a cache as large as Holdfast's. */
Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
const worker = await Worker.create({
  connection,
  taskQueue: BARE_QUEUE,
  workflowsPath: fileURLToPath(new URL('bare-workflow.ts', import.meta.url)),
  maxCachedWorkflows: cachedRuns(process.env),
});
process.stdout.write('worker started\n');
await worker.run();
