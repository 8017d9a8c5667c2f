import { Worker } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import { createCompletedTaskCheck, historyReader } from './workflow-process/completed-task.ts';
import { startWorkflowProcess } from './workflow-process/start-workflow-process.ts';
import type { ProcessLimits } from './workflow-process/start-workflow-process.ts';
import { createTaskObserver } from './workflow-process/task-observer.ts';
import type { FailedTask } from './workflow-process/task-observer.ts';
import { openWorkflowHost } from './workflow-process/workflow-host.ts';

type ConnectedOptions = WorkerOptions & Required<Pick<WorkerOptions, 'connection' | 'namespace'>>;

/** The SDK's own number of tasks at a time. */
const MOST_AT_ONCE = 40;

/**
 * Makes a worker whose workflow code runs in a process of its own. In a thread, as the SDK has it, code that uses up its
 * memory ends the whole worker.
 * @param report is told of each failed workflow task
 */
export async function createIsolatedWorker(
  options: ConnectedOptions,
  limits: ProcessLimits,
  report: (task: FailedTask) => void,
): Promise<Worker> {
  const observer = createTaskObserver(report);
  const readBackwards = historyReader(options.connection, options.namespace);
  class IsolatedWorker extends Worker {
    protected static override async createWorkflowCreator(
      bundle: WorkflowBundleWithSourceMapAndFilename,
      { activities, identity, maxConcurrentWorkflowTaskExecutions: tasksAtOnce = MOST_AT_ONCE }: CompiledWorkerOptions,
    ): Promise<WorkflowCreator> {
      const activityNames = new Set(activities.keys());
      return await openWorkflowHost({
        start: () => startWorkflowProcess(limits),
        open: { kind: 'open', bundle, activityNames, tasksAtOnce },
        observer,
        wasCompleted: createCompletedTaskCheck(readBackwards, identity),
      });
    }

    override async run(): Promise<void> {
      this.evictionsEmitter.on('eviction', (eviction) => observer.evicted(eviction));
      await super.run();
    }
  }
  return await IsolatedWorker.create(options);
}
