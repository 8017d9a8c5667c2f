import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { callEcho } from './call-echo.ts';
import { serve } from './serve.ts';

/* Plain Temporal: a client and a worker with the SDK's default settings, in one process. */

const TASK_QUEUE = 'plain';

Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const address = process.env['TEMPORAL_ADDRESS'] ?? '';
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: TASK_QUEUE,
  workflowsPath: fileURLToPath(new URL('temporal-workflows.ts', import.meta.url)),
  activities: { callEcho },
});
void worker.run();
const { workflow } = new Client({ connection: await Connection.connect({ address }) });
let runs = 0;

await serve({
  toolSteps: async (steps) => await workflow.execute('toolSteps', run([Number(steps)])),
  fanOut: async (calls) => await workflow.execute('fanOut', run([Number(calls)])),
  pureSteps: async (steps) => await workflow.execute('pureSteps', run([Number(steps)])),
  ask: async (workflowId) => await workflow.start('ask', { ...run([]), workflowId }),
  decide: async (workflowId) => await workflow.getHandle(workflowId).signal('decide', 'yes'),
  ended: async (workflowId) => await workflow.getHandle(workflowId).result(),
});

function run<T>(args: T) {
  return { workflowId: `run-${runs++}`, taskQueue: TASK_QUEUE, args };
}
