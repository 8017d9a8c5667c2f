import type { ExclusiveProcess } from './exclusive-processes.ts';
import type { ProcessRequestBody } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import { judgeExecution } from './process-end.ts';
import type { ObservedEnd, ExecutionVerdict } from './process-end.ts';
import type { SucceededAnswer, WorkflowProcess } from './start-workflow-process.ts';

/** An execution whose code runs in a process, which is replaced when it ends. */
export interface RestartableExecution {
  /**
   * Sends a request to the process, after earlier requests that the process has not received.
   * @param isReplaying true if the history already contains the commands that result from the request
   * @throws ProcessEnded
   */
  send(request: ProcessRequestBody, isReplaying: boolean): Promise<SucceededAnswer>;
  /** Releases the exclusive process of the execution, which must be replayed then. */
  leaveExclusiveProcess(): Promise<void>;
  /** Sends the last request and releases the process; a process that has ended is not replaced. */
  sendLast(request: ProcessRequestBody): Promise<void>;
}

interface RestartDeps {
  /** Returns the process that all executions share. @throws ProcessEnded */
  readonly shared: () => Promise<WorkflowProcess>;
  /** Returns a process that only this execution uses. */
  readonly exclusive: () => Promise<ExclusiveProcess>;
  /** Called when a task fails because the process has ended while it executed this code. */
  readonly failed: (reason: string, verdict: Exclude<ExecutionVerdict, 'sound'>) => void;
}

/** An execution before its first task in this worker. */
export interface NewExecution {
  /** The first request to every process. */
  readonly begin: ProcessRequestBody;
  /** True if a process has ended while it executed this code. */
  readonly isSuspect: boolean;
}

/** The most processes that one task tries. */
const MOST_PROCESSES = 5;

/**
 * Creates an execution. If the process ends during its first task or a replay, the execution restarts in another process:
 * if its task failed instead, the next attempt would wait for Temporal's time-out. If the process was executing this very
 * code, the next process is exclusive: that shows whether the code ends processes, and protects the other executions.
 */
export function createRestartableExecution(
  { begin, isSuspect }: NewExecution,
  { failed, ...homes }: RestartDeps,
): RestartableExecution {
  const ends: ObservedEnd[] = [];
  const home = createHome(homes);
  let hasReleased = false;
  let process: WorkflowProcess | null = null;
  /** The requests that a new process must replay; `null` once the code has progressed beyond its history. */
  let replayed: ProcessRequestBody[] | null = [begin];
  /** Those of them that the process has not received. */
  let missing: readonly ProcessRequestBody[] = replayed;
  const mayRestart = (error: unknown, processes: number): boolean => {
    if (!(error instanceof ProcessEnded)) return false;
    if (error.wasExecuting) ends.push({ kind: error.end.kind, wasAlone: home.isExclusive() });
    const verdict = judgeExecution(ends);
    const isOver = replayed === null || processes >= MOST_PROCESSES || error.end.kind === 'busy';
    if (!isOver && verdict !== 'guilty') return true;
    if (verdict !== 'sound') failed(error.message, verdict);
    return false;
  };
  const leaveExclusiveProcess = async (): Promise<void> => {
    hasReleased ||= home.isExclusive();
    await home.release();
  };
  return {
    async send(request, isReplaying) {
      if (hasReleased) return { kind: 'forgotten' };
      for (let processes = 1; ; processes += 1) {
        try {
          process ??= await home.next(isSuspect || ends.length > 0);
          const answer = await sendAfterReplay(process, missing, request);
          missing = [];
          if (isReplaying) replayed?.push(request);
          else replayed = null;
          return answer;
        } catch (error) {
          if (!mayRestart(error, processes)) throw error;
          process = null;
          missing = replayed ?? [];
        }
      }
    },
    leaveExclusiveProcess,
    async sendLast(request) {
      // A process that has ended has nothing to dispose of.
      if (process && !hasReleased) await process.request(request).catch(() => undefined);
      await leaveExclusiveProcess();
    },
  };
}

/** The process of an execution: the shared one, or an exclusive one, which the execution keeps. */
function createHome({ shared, exclusive }: Pick<RestartDeps, 'shared' | 'exclusive'>) {
  let own: ExclusiveProcess | null = null;
  return {
    isExclusive: () => own !== null,
    async next(isSuspect: boolean): Promise<WorkflowProcess> {
      if (!isSuspect) return await shared();
      own ??= await exclusive();
      return await own.restart();
    },
    async release() {
      await own?.release();
    },
  };
}

/** When the process ends, all requests fail; the error of the first one states whether it was being executed. */
async function sendAfterReplay(
  process: WorkflowProcess,
  before: readonly ProcessRequestBody[],
  request: ProcessRequestBody,
): Promise<SucceededAnswer> {
  const earlier = before.map((one) => process.request(one));
  const answer = process.request(request);
  await Promise.all([...earlier, answer]);
  return await answer;
}
