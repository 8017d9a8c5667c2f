import proto from '@temporalio/proto';
import type { coresdk } from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import type { WorkerOptions } from '@temporalio/worker';
import type { CompiledWorkerOptions } from '@temporalio/worker/lib/worker-options.js';
import type { WorkflowCodecRunner } from '@temporalio/worker/lib/workflow-codec-runner.js';
import type { Workflow, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import { messageOf } from '../graph/values/index.ts';
import type { PayloadReader } from '../process/data-converter.ts';
import { readStrangers } from './read-strangers.ts';
import { createCompletedTaskCheck, historyReader } from './workflow-process/completed-task.ts';
import { startWorkflowProcess } from './workflow-process/start-workflow-process.ts';
import type { ProcessLimits } from './workflow-process/start-workflow-process.ts';
import { createTaskObserver } from './workflow-process/task-observer.ts';
import type { FailedTask } from './workflow-process/task-observer.ts';
import { openWorkflowHost } from './workflow-process/workflow-host.ts';

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
