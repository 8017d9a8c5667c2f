import { NativeConnection } from '@temporalio/worker';
import type { Worker } from '@temporalio/worker';
import { parseConfig } from '../../../src/config/load-config.ts';
import { startWithTeardown } from '../../../src/dev/teardown.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { createWorkers } from '../../../src/worker.ts';
import { TASK_QUEUE } from '../../../src/workflows/contract.ts';
import type { TestStack } from './test-stack.ts';

/** An additional worker for the runs of a stack. */
export interface SecondWorker {
  readonly state: () => ReturnType<Worker['getState']>;
  stop(): Promise<void>;
}

/** @param environment additional variables of the stack */
export async function startSecondWorker(stack: TestStack, environment: NodeJS.ProcessEnv): Promise<SecondWorker> {
  return await startWithTeardown(async (teardown) => {
    const store = await openPostgresStore(stack.databaseUrl ?? '');
    teardown.add(() => store.close());
    const connection = await NativeConnection.connect({ address: stack.temporalAddress });
    teardown.add(() => connection.close());
    const workers = await createWorkers({
      config: parseConfig('the test', {}),
      connection,
      namespace: stack.namespace,
      store,
      taskQueues: [TASK_QUEUE],
      logger: createLogger('fatal'),
      environment: { ...process.env, ...environment },
    });
    const [ofRuns] = workers;
    if (!ofRuns) throw new TypeError('A task queue has a worker');
    const running = Promise.all(workers.map((worker) => worker.run()));
    teardown.add(async () => {
      for (const worker of workers) worker.shutdown();
      await running;
    });
    return { state: () => ofRuns.getState(), stop: () => teardown.run() };
  });
}
