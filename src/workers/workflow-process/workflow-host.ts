import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { FEWEST_PROOFS } from '../../store/failing-runs.ts';
import type { CompletedTaskCheck } from './completed-task.ts';
import { createExclusiveProcesses } from './exclusive-processes.ts';
import { createExecutionProxy } from './execution-proxy.ts';
import { createExecutionProgress } from './execution-progress.ts';
import { createHeavyExecutions } from './heavy-executions.ts';
import { toSentInfo } from './messages.ts';
import type { OpenRequest } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import { createRestartableExecution } from './restartable-execution.ts';
import type { WorkflowProcess } from './start-workflow-process.ts';
import type { ExecutionObserver, WorkflowTaskFailure } from './task-observer.ts';

export interface HostOptions {
  /** Starts a process. */
  readonly start: () => WorkflowProcess;
  /** The first request to each process. */
  readonly open: OpenRequest;
  readonly observer: ExecutionObserver;
  readonly wasCompleted: CompletedTaskCheck;
}

type CreateOptions = Parameters<WorkflowCreator['createWorkflow']>[0];

/**
 * Runs the code of workflows in a child process, which is replaced when it ends. Heavy executions share a second process,
 * so that others do not wait for their tasks. An execution during which a process has ended gets an exclusive process.
 * @throws when the first process can't run the code
 */
export async function openWorkflowHost({ start, open, observer, wasCompleted }: HostOptions): Promise<WorkflowCreator> {
  const begin = (): OpenedProcess => {
    const process = start();
    const opened = process.request(open).then(() => process, throwWithoutCulprit);
    opened.catch(async () => await process.stop());
    return { process, opened };
  };
  const [light, heavy] = [createReplaceable(begin), createReplaceable(begin)];
  await startFirst(light);
  const exclusives = createExclusiveProcesses(async () => await begin().opened);
  const heavyExecutions = createHeavyExecutions();
  /** Executions that get an exclusive process when they return. */
  const suspects = new Set<string>();
  return {
    async createWorkflow(options) {
      observer.opened(options.info);
      const { runId, workflowId } = options.info;
      const home = { isHeavy: false, isAlone: false };
      const code = createRestartableExecution(
        { begin: { kind: 'create', options: toSentOptions(options) }, isSuspect: suspects.delete(runId) },
        {
          shared() {
            home.isHeavy = heavyExecutions.isHeavy(runId);
            return (home.isHeavy ? heavy : light).running();
          },
          exclusive() {
            home.isAlone = true;
            return exclusives.acquire();
          },
          failed(reason, verdict) {
            suspects.add(runId);
            observer.failed(runId, TASK_FAILURES[verdict](reason));
          },
        },
      );
      const progress = createExecutionProgress(async (started) => await wasCompleted({ workflowId, runId }, started));
      return createExecutionProxy({ code, home, progress, heavyExecutions, observer }, runId);
    },
    async destroy() {
      await Promise.all([light.stop(), heavy.stop(), exclusives.stop()]);
    },
  };
}

const TASK_FAILURES = {
  suspect: (reason: string): WorkflowTaskFailure => ({ by: 'machine', reason }),
  guilty: (reason: string): WorkflowTaskFailure => ({ by: 'code', reason, proofs: FEWEST_PROOFS }),
} as const;

interface OpenedProcess {
  readonly process: WorkflowProcess;
  readonly opened: Promise<WorkflowProcess>;
}

/** A process that is replaced when it has ended. */
interface ReplaceableProcess {
  running(this: void): Promise<WorkflowProcess>;
  stop(): Promise<void>;
}

function createReplaceable(begin: () => OpenedProcess): ReplaceableProcess {
  let current: OpenedProcess | null = null;
  return {
    async running() {
      if (!current || current.process.hasEnded) current = begin();
      return await current.opened;
    },
    stop: async () => await current?.process.stop(),
  };
}

/** Starts the first process, and another one if it is ended from outside. @throws when it can't run the code */
async function startFirst({ running }: ReplaceableProcess): Promise<void> {
  for (let processes = 1; ; processes += 1) {
    try {
      await running();
      return;
    } catch (error) {
      if (!(error instanceof ProcessEnded) || processes >= MOST_FIRST_PROCESSES) throw error;
    }
  }
}

const MOST_FIRST_PROCESSES = 5;

/** No execution has caused the end of a process that is not open yet. */
function throwWithoutCulprit(error: unknown): never {
  if (error instanceof ProcessEnded && error.wasExecuting) throw new ProcessEnded(error.end, false);
  throw error;
}

function toSentOptions({ info, ...options }: CreateOptions) {
  return { ...options, info: toSentInfo(info) };
}
