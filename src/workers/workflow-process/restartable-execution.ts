import type { Cell } from './cells.ts';
import type { RequestBody } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import { judge } from './process-end.ts';
import type { ObservedEnd, Verdict } from './process-end.ts';
import type { Succeeded, WorkflowProcess } from './start-workflow-process.ts';

/** An execution whose code runs in a process, and in another one when that has ended. */
export interface RestartableExecution {
  /**
   * Asks the process. Earlier requests that the process has not done, such as the first one, are sent before.
   * @param isReplaying the history already has the commands that follow from the request
   * @throws ProcessEnded
   */
  ask(request: RequestBody, isReplaying: boolean): Promise<Succeeded>;
  /** Leaves the process that the execution has for itself; it must be played anew then. */
  leaveCell(): Promise<void>;
  /** Asks the process for the last time and leaves it; a process that has ended is not replaced. */
  askLast(request: RequestBody): Promise<void>;
}

interface RestartDeps {
  /** Gives the process that all executions have together. @throws ProcessEnded */
  readonly shared: () => Promise<WorkflowProcess>;
  /** Gives a cell, which this execution has for itself. */
  readonly alone: () => Promise<Cell>;
  /** Is called when a task fails because the process has ended while it was at the execution. */
  readonly failed: (reason: string, verdict: Exclude<Verdict, 'sound'>) => void;
}

/** An execution before its first task here. */
export interface NewExecution {
  /** The request that every process has to do first. */
  readonly begin: RequestBody;
  /** A process has ended while it was at the execution. */
  readonly isSuspect: boolean;
}

/** Each task tries so many at most. */
const MOST_PROCESSES = 5;

/**
 * An execution that does its first task, or is replayed for one, begins again in the next process when the process has
 * ended: if its task failed, the next attempt would have to wait until Temporal's time-out. If the process was at this very
 * execution, the next one is for it alone: that shows if its code ends processes, and spares the others.
 */
export function createRestartableExecution(
  { begin, isSuspect }: NewExecution,
  { failed, ...homes }: RestartDeps,
): RestartableExecution {
  const ends: ObservedEnd[] = [];
  const home = createHome(homes);
  let hasLeft = false;
  let process: WorkflowProcess | null = null;
  /** The requests that a new process must replay; `null` once the code has gone beyond its history. */
  let replayed: RequestBody[] | null = [begin];
  /** Those of them that the process has not been sent. */
  let missing: readonly RequestBody[] = replayed;
  const mayRestart = (error: unknown, processes: number): boolean => {
    if (!(error instanceof ProcessEnded)) return false;
    if (error.wasAtWork) ends.push({ kind: error.end.kind, wasAlone: home.isCell() });
    const verdict = judge(ends);
    const isOver = replayed === null || processes >= MOST_PROCESSES || error.end.kind === 'busy';
    if (!isOver && verdict !== 'to-blame') return true;
    if (verdict !== 'sound') failed(error.message, verdict);
    return false;
  };
  const leaveCell = async (): Promise<void> => {
    hasLeft ||= home.isCell();
    await home.leave();
  };
  return {
    async ask(request, isReplaying) {
      if (hasLeft) return { kind: 'forgotten' };
      for (let processes = 1; ; processes += 1) {
        try {
          process ??= await home.next(isSuspect || ends.length > 0);
          const answer = await askAfter(process, missing, request);
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
    leaveCell,
    async askLast(request) {
      // A process that has ended has nothing to dispose of.
      if (process && !hasLeft) await process.ask(request).catch(() => undefined);
      await leaveCell();
    },
  };
}

/** The process of an execution: the one that all share, or a cell, which the execution keeps. */
function createHome({ shared, alone }: Pick<RestartDeps, 'shared' | 'alone'>) {
  let cell: Cell | null = null;
  return {
    isCell: () => cell !== null,
    async next(isSuspect: boolean): Promise<WorkflowProcess> {
      if (!isSuspect) return await shared();
      cell ??= await alone();
      return await cell.fresh();
    },
    async leave() {
      await cell?.leave();
    },
  };
}

/** When the process ends, all requests fail, and the first one says if the process was at work then. */
async function askAfter(
  process: WorkflowProcess,
  before: readonly RequestBody[],
  request: RequestBody,
): Promise<Succeeded> {
  const asked = before.map((one) => process.ask(one));
  const answer = process.ask(request);
  await Promise.all([...asked, answer]);
  return await answer;
}
