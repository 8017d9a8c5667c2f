import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { createCallActivities, createJournalActivities } from '../../../src/activities/index.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { startWithTeardown } from '../../../src/dev/teardown.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createDataConverter } from '../../../src/process/data-converter.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { openPostgresStore } from '../../../src/store/store.ts';
import { toActivityDeps } from '../../../src/workers/activity-deps.ts';
import { readWorkerDeployment } from '../../../src/workers/worker-options.ts';
import { TASK_QUEUE } from '../../../src/workflows/contract.ts';
import { aToolOf } from '../doubles/configured-tool.ts';
import { startJobService } from '../doubles/job-service.ts';
import type { JobService } from '../doubles/job-service.ts';
import { startNode } from './child-node.ts';
import { NOT_REPLAYED } from './histories.ts';
import { bundleNextVersion } from './next-version.ts';
import { startPostgres } from './postgres-server.ts';
import { startTestStack } from './test-stack.ts';
import type { TestStack } from './test-stack.ts';
import { versionOf } from './worker-versions.ts';

/** A stack with workers of two versions: that of the project, and one with a different interpreter. */
export interface VersionedStack extends TestStack {
  readonly service: JobService;
  readonly temporal: Client;
  /** The worker of version 1: a process like that of `npm run worker`. */
  readonly old: { kill(): Promise<void> };
}

const ELSEWHERE = 'elsewhere';

export async function startVersionedStack(): Promise<VersionedStack> {
  return await startWithTeardown(start);
}

async function start(teardown: Teardown): Promise<VersionedStack> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-versions-'));
  teardown.add(() => rm(folder, { recursive: true, force: true }));
  const service = await startJobService();
  teardown.add(() => service.stop());
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const HOLDFAST_CONFIG = join(folder, 'holdfast.config.json');
  const tools = [aToolOf(service), aToolOf(service, { name: ELSEWHERE, taskQueue: ELSEWHERE })];
  await writeFile(HOLDFAST_CONFIG, JSON.stringify({ tools, http: { allow: [service.address] } }));
  const DATABASE_URL = await postgres.createDatabase('holdfast');
  // The stack's own workers have no version, so they do not execute these runs.
  const stack = await startTestStack(HOLDFAST_CONFIG, {
    DATABASE_URL,
    HOLDFAST_TASK_QUEUES: ELSEWHERE,
    [NOT_REPLAYED]: 'some of its runs are begun by the interpreter of the next version',
  });
  teardown.add(() => stack.stop());
  const environment = { ...process.env, DATABASE_URL, HOLDFAST_CONFIG, TEMPORAL_ADDRESS: stack.temporalAddress };
  const old = startNode('src/worker.ts', { ...environment, ...versionOf('1'), LOG_LEVEL: 'fatal' });
  teardown.add(() => old.kill());
  await startNextWorker({ ...environment, ...versionOf('2') }, teardown);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  teardown.add(() => connection.close());
  return { ...stack, service, old, temporal: new Client({ connection }), stop: () => teardown.run() };
}

async function startNextWorker(environment: NodeJS.ProcessEnv, teardown: Teardown): Promise<void> {
  const { DATABASE_URL = '', HOLDFAST_CONFIG, TEMPORAL_ADDRESS = '' } = environment;
  const logger = createLogger('fatal');
  const store = await openPostgresStore(DATABASE_URL);
  teardown.add(() => store.close());
  const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
  teardown.add(() => connection.close());
  const deployment = readWorkerDeployment(environment);
  const options = {
    connection,
    dataConverter: createDataConverter(store.blobs),
    ...(deployment && { workerDeploymentOptions: deployment }),
  };
  const config = await loadConfig(HOLDFAST_CONFIG);
  const calls = createCallActivities(toActivityDeps(config, { store, logger, environment }));
  const worker = await Worker.create({
    ...options,
    taskQueue: TASK_QUEUE,
    activities: { ...calls, ...createJournalActivities({ store }) },
    workflowBundle: { code: await bundleNextVersion() },
  });
  const running = worker.run();
  teardown.add(async () => {
    worker.shutdown();
    await running;
  });
}
