import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { FEWEST_PROOFS } from '../../store/failing-runs.ts';
import type { CompletedTaskCheck } from './completed-task.ts';
import { createCells } from './cells.ts';
import { createExecutionProxy } from './execution-proxy.ts';
import { createExecutionStanding } from './execution-standing.ts';
import { createHeavyExecutions } from './heavy-executions.ts';
import { toSentInfo } from './messages.ts';
import type { RequestBody } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import { createRestartableExecution } from './restartable-execution.ts';
import type { WorkflowProcess } from './start-workflow-process.ts';
import type { ExecutionObserver, WorkflowTaskFailure } from './task-observer.ts';

export interface HostOptions {
  /** Starts a process. */
  readonly start: () => WorkflowProcess;
  /** The first request to each process. */
  readonly open: RequestBody & { readonly kind: 'open' };
  readonly observer: ExecutionObserver;
  readonly wasCompleted: CompletedTaskCheck;
}

type CreateOptions = Parameters<WorkflowCreator['createWorkflow']>[0];
/**
 * Runs the code of workflows in a process of its own, and in another one when that has ended. Heavy executions have one
 * besides: others do not wait for their tasks. An execution in which a process has ended is tried alone.
 * @throws when the first process can't run the code
 */
export async function openWorkflowHost({ start, open, observer, wasCompleted }: HostOptions): Promise<WorkflowCreator> {
  const begin = (): OpenedProcess => {
    const process = start();
    const opened = process.ask(open).then(() => process, withoutBlame);
    opened.catch(async () => await process.stop());
    return { process, opened };
  };
  const [light, heavy] = [createReplaceable(begin), createReplaceable(begin)];
  await firstOf(light);
  const cells = createCells(async () => await begin().opened);
  const heavyOnes = createHeavyExecutions();
  /** Executions that have to be tried alone when they come again. */
  const suspects = new Set<string>();
  return {
    async createWorkflow(options) {
      observer.opened(options.info);
      const { runId, workflowId } = options.info;
      const home = { isHeavy: false, isAlone: false };
      const code = createRestartableExecution(
        { begin: { kind: 'create', options: toSent(options) }, isSuspect: suspects.delete(runId) },
        {
          shared() {
            home.isHeavy = heavyOnes.isHeavy(runId);
            return (home.isHeavy ? heavy : light).living();
          },
          alone() {
            home.isAlone = true;
            return cells.enter();
          },
          failed(reason, verdict) {
            suspects.add(runId);
            observer.failed(runId, FAILURES[verdict](reason));
          },
        },
      );
      const standing = createExecutionStanding(async (started) => await wasCompleted({ workflowId, runId }, started));
      return createExecutionProxy({ code, home, standing, heavyOnes, observer }, runId);
    },
    async destroy() {
      await Promise.all([light.stop(), heavy.stop(), cells.stop()]);
    },
  };
}

const FAILURES = {
  suspect: (reason: string): WorkflowTaskFailure => ({ by: 'machine', reason }),
  'to-blame': (reason: string): WorkflowTaskFailure => ({ by: 'code', reason, proofs: FEWEST_PROOFS }),
} as const;

interface OpenedProcess {
  readonly process: WorkflowProcess;
  readonly opened: Promise<WorkflowProcess>;
}

/** Processes of which each follows one that has ended. */
interface Replaceable {
  living(this: void): Promise<WorkflowProcess>;
  stop(): Promise<void>;
}

function createReplaceable(begin: () => OpenedProcess): Replaceable {
  let current: OpenedProcess | null = null;
  return {
    async living() {
      if (!current || current.process.hasEnded) current = begin();
      return await current.opened;
    },
    stop: async () => await current?.process.stop(),
  };
}

/** Whoever ends the first process, as the kernel may, another one follows. @throws when it can't run the code */
async function firstOf({ living }: Replaceable): Promise<void> {
  for (let processes = 1; ; processes += 1) {
    try {
      await living();
      return;
    } catch (error) {
      if (!(error instanceof ProcessEnded) || processes >= MOST_FIRST_PROCESSES) throw error;
    }
  }
}

const MOST_FIRST_PROCESSES = 5;

/** No execution has a part in the end of a process that is not open yet. */
function withoutBlame(error: unknown): never {
  if (error instanceof ProcessEnded && error.wasAtWork) throw new ProcessEnded(error.end, false);
  throw error;
}

function toSent({ info, ...options }: CreateOptions) {
  return { ...options, info: toSentInfo(info) };
}
