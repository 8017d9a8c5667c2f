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
import { readUntrustedPayloads } from './read-untrusted-payloads.ts';
import { createCompletedTaskCheck, historyReader } from './workflow-process/completed-task.ts';
import { startWorkflowProcess } from './workflow-process/start-workflow-process.ts';
import type { ProcessLimits } from './workflow-process/start-workflow-process.ts';
import { createTaskObserver } from './workflow-process/task-observer.ts';
import type { FailedTask, Culprit } from './workflow-process/task-observer.ts';
import { openWorkflowHost } from './workflow-process/workflow-host.ts';
import type { Logger } from '../process/logger.ts';
import type { TaskFailureCause } from '../store/failing-runs.ts';
import { readVisibleReason } from '../process/read-redaction.ts';
import type { RedactionSource } from '../process/read-redaction.ts';
import type { Store } from '../store/store.ts';
import { measure } from '../telemetry/metrics/meter.ts';
import { fromWorkflowId } from '../workflows/contract.ts';

type ConnectedOptions = WorkerOptions &
  Required<Pick<WorkerOptions, 'connection' | 'namespace'>> & { readonly dataConverter: PayloadReader };

/** A workflow in the SDK's memory. */
interface LoadedWorkflow {
  readonly workflow: Workflow;
  readonly logAttributes: Record<string, unknown>;
  readonly workflowCodecRunner: WorkflowCodecRunner;
  readonly info: WorkflowInfo;
}

interface ActivationInput {
  readonly activation: coresdk.workflow_activation.WorkflowActivation;
  readonly synthetic: boolean;
}

const { WorkflowActivationCompletion } = proto.coresdk.workflow_completion;

/** The SDK's default number of concurrent tasks. */
const MOST_AT_ONCE = 40;

/**
 * Creates a worker whose workflow code runs in a separate process. In a thread, which the SDK uses, code that uses up its
 * memory would end the whole worker.
 * @param report is called for each failed workflow task
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

    /** A task whose signals can't be read now fails, so that the server retries it. */
    protected override async handleActivation(workflow: LoadedWorkflow | undefined, input: ActivationInput) {
      const { activation } = input;
      const workflowId =
        workflow?.info.workflowId ??
        activation.jobs.find((job) => job.initializeWorkflow)?.initializeWorkflow?.workflowId;
      try {
        const receiver = {
          namespace: options.namespace,
          workflowId: workflowId ?? '',
          isReplaying: activation.isReplaying,
        };
        await readUntrustedPayloads(activation, receiver, options.dataConverter.readSignal);
      } catch (error) {
        const failure = { message: messageOf(error) };
        const failed = WorkflowActivationCompletion.encodeDelimited({ runId: activation.runId, failed: { failure } });
        return { state: workflow, output: { close: false, completion: failed.finish() } };
      }
      return await super.handleActivation(workflow, input);
    }

    override async run(): Promise<void> {
      this.evictionsEmitter.on('eviction', (eviction) => observer.evicted(eviction));
      await super.run();
    }
  }
  return await IsolatedWorker.create(options);
}

const MIB = 1_048_576;

/**
 * Processor time. The work of a run between two waits is metered: it takes a second or two, and more with values of
 * several megabytes.
 */
const TIME_LIMIT_MS = 8_000;

/**
 * Returns the limits of the process that runs workflow code.
 * @param heapLimit the heap limit of this process in bytes, which is also used for the other process
 */
export function processLimits(heapLimit: number = getHeapStatistics().heap_size_limit): ProcessLimits {
  return { heapMib: Math.floor(heapLimit / MIB), timeLimitMs: TIME_LIMIT_MS };
}

interface ReportDeps {
  readonly store: Pick<Store, 'failingRuns'> & RedactionSource;
  readonly logger: Logger;
}

const MAX_FAILURE_REASON = 500;

/**
 * Logs and counts failed workflow tasks, without redacted values, and records those that the run may have caused for the sweeper. A task that waits
 * is logged and recorded but not counted, because it may still be completed in time.
 */
export function reportFailedTask({ store, logger }: ReportDeps): (task: FailedTask) => void {
  let count = 0;
  return ({ workflowId, executionRunId, reason: wholeReason, ...culprit }) => {
    const { by } = culprit;
    const run = fromWorkflowId(workflowId);
    const reason = truncate(wholeReason, MAX_FAILURE_REASON);
    const logged = { run: run?.id, tenant: run?.tenantId, workflowId, executionRunId, by };
    if (by === 'queue') logger.warn({ ...logged, reason }, 'a workflow task waits for its turn');
    else {
      measure('holdfast.workflow_task.failures', 1, {});
      const counted = { ...logged, count: (count += 1) };
      const visible = run ? readVisibleReason(store, run.id, reason) : Promise.resolve(reason);
      void visible.then((text) => logger.warn({ ...counted, reason: text }, 'a workflow task failed'));
    }
    const cause = toFailureCause(culprit, reason);
    if (!run || !cause) return;
    store.failingRuns
      .note(run.id, { executionRunId, ...cause })
      .catch((error: unknown) => logger.warn({ error, run: run.id }, 'a failed workflow task could not be noted'));
  };
}

/** @returns `null` for a cause that does not concern the run */
function toFailureCause(culprit: Culprit, reason: string): TaskFailureCause | null {
  if (culprit.by === 'worker') return null;
  return culprit.by === 'code' ? { ...culprit, reason } : { by: culprit.by };
}
