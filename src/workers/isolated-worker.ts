import { getHeapStatistics } from 'node:v8';
import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import type { WorkflowCodecRunner } from '@temporalio/worker/lib/workflow-codec-runner.js';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import { messageOf, truncate } from '../graph/values/index.ts';
import type { PayloadReader } from '../process/data-converter.ts';
import { readStrangers } from './read-strangers.ts';
import { createCompletedTaskCheck, historyReader } from './workflow-process/completed-task.ts';
import { startWorkflowProcess } from './workflow-process/start-workflow-process.ts';
import type { ProcessLimits } from './workflow-process/start-workflow-process.ts';
import { createTaskObserver } from './workflow-process/task-observer.ts';
import type { FailedTask, Culprit } from './workflow-process/task-observer.ts';
import { openWorkflowHost } from './workflow-process/workflow-host.ts';
import type { Logger } from '../process/logger.ts';
import type { TaskFailureCause } from '../store/failing-runs.ts';
import type { Store } from '../store/store.ts';
import { measure } from '../telemetry/metrics/meter.ts';
import { fromWorkflowId } from '../workflows/contract.ts';

type ConnectedOptions = WorkerOptions &
  Required<Pick<WorkerOptions, 'connection' | 'namespace'>> & { readonly dataConverter: PayloadReader };

/** A workflow as the SDK knows it. */
interface Known {
  readonly workflow: Workflow;
  readonly logAttributes: Record<string, unknown>;
  readonly workflowCodecRunner: WorkflowCodecRunner;
  readonly info: WorkflowInfo;
}

interface Given {
  readonly activation: coresdk.workflow_activation.WorkflowActivation;
  readonly synthetic: boolean;
}

const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

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

    /** The SDK fails a task whose signals it can't read, and tries it again. */
    protected override async handleActivation(workflow: Known | undefined, given: Given) {
      const { activation } = given;
      const workflowId =
        workflow?.info.workflowId ??
        activation.jobs.find((job) => job.initializeWorkflow)?.initializeWorkflow?.workflowId;
      try {
        const receiver = {
          namespace: options.namespace,
          workflowId: workflowId ?? '',
          isReplaying: activation.isReplaying,
        };
        await readStrangers(activation, receiver, options.dataConverter.readSignal);
      } catch (error) {
        const failure = { message: messageOf(error) };
        const failed = WorkflowActivationCompletion.encodeDelimited({ runId: activation.runId, failed: { failure } });
        return { state: workflow, output: { close: false, completion: failed.finish() } };
      }
      return await super.handleActivation(workflow, given);
    }

    override async run(): Promise<void> {
      this.evictionsEmitter.on('eviction', (eviction) => observer.evicted(eviction));
      await super.run();
    }
  }
  return await IsolatedWorker.create(options);
}

const MIB = 1_048_576;

/** CPU time. What a run does at once is metered: it takes a second or two, with values of some megabytes more. */
const TIME_LIMIT_MS = 8_000;

/**
 * The limits of the process that runs workflow code.
 * @param heapLimit of this process, in bytes; that process may use as much
 */
export function processLimits(heapLimit: number = getHeapStatistics().heap_size_limit): ProcessLimits {
  return { heapMib: Math.floor(heapLimit / MIB), timeLimitMs: TIME_LIMIT_MS };
}

interface ReportDeps {
  readonly store: Pick<Store, 'failingRuns'>;
  readonly logger: Logger;
}

const MAX_REASON = 500;

/**
 * Logs and counts failed workflow tasks. Those for which the run may be to blame are noted for the sweeper. A task that
 * waits is logged and noted, and not counted, as it may still be done in time.
 */
export function reportFailedTask({ store, logger }: ReportDeps): (task: FailedTask) => void {
  let count = 0;
  return ({ workflowId, executionRunId, reason: whole, ...culprit }) => {
    const { by } = culprit;
    const run = fromWorkflowId(workflowId);
    const reason = truncate(whole, MAX_REASON);
    const logged = { run: run?.id, tenant: run?.tenantId, workflowId, executionRunId, reason, by };
    if (by === 'queue') logger.warn(logged, 'a workflow task waits for its turn');
    else {
      count += 1;
      measure('holdfast.workflow_task.failures', 1, {});
      logger.warn({ ...logged, count }, 'a workflow task failed');
    }
    const cause = toCause(culprit, reason);
    if (!run || !cause) return;
    store.failingRuns
      .note(run.id, { executionRunId, ...cause })
      .catch((error: unknown) => logger.warn({ error, run: run.id }, 'a failed workflow task could not be noted'));
  };
}

/** @returns `null`: it tells nothing of the run */
function toCause(culprit: Culprit, reason: string): TaskFailureCause | null {
  if (culprit.by === 'worker') return null;
  return culprit.by === 'code' ? { ...culprit, reason } : { by: culprit.by };
}
