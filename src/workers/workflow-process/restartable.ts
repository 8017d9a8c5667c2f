import type { RequestBody } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import { judge } from './process-end.ts';
import type { ObservedEnd, Verdict } from './process-end.ts';
import type { Cell } from './cells.ts';
import type { Succeeded, WorkflowProcess } from './start-workflow-process.ts';

/** The requests of one execution, to the process that has its code. */
export interface Restartable {
  /**
   * Asks the process. What it has to do before, as at the beginning of the execution, travels with the request.
   * @param isReplaying the history says already what comes of the request
   * @throws ProcessEnded
   */
  ask(request: RequestBody, isReplaying: boolean): Promise<Succeeded>;
  /** Leaves the process that the execution has for itself; it must be played anew then. */
  leaveCell(): Promise<void>;
  /** Asks the process, and no other if that has ended, and leaves it. */
  askLast(request: RequestBody): Promise<void>;
}

interface RestartableDeps {
  /** Gives the process that all executions have together. @throws ProcessEnded */
  readonly shared: () => Promise<WorkflowProcess>;
  /** Gives a place for this execution alone. */
  readonly alone: () => Promise<Cell>;
  /** Is told that a task fails because the process has ended while it was at the execution. */
  readonly failed: (how: string, verdict: Exclude<Verdict, 'sound'>) => void;
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
export function createRestartable(
  { begin, isSuspect }: NewExecution,
  { failed, ...places }: RestartableDeps,
): Restartable {
  const ends: ObservedEnd[] = [];
  const place = createPlace(places);
  let hasLeft = false;
  let process: WorkflowProcess | null = null;
  /** What brings the code to where it stands; null when that is beyond its history, or when it is only asked. */
  let replayed: RequestBody[] | null = [begin];
  /** The part of it that the process has not been asked for. */
  let missing: readonly RequestBody[] = replayed;
  const mayRestart = (error: unknown, processes: number): boolean => {
    if (!(error instanceof ProcessEnded)) return false;
    if (error.wasAtWork) ends.push({ kind: error.end.kind, wasAlone: place.isCell() });
    const verdict = judge(ends);
    const isOver = replayed === null || processes >= MOST_PROCESSES || error.end.kind === 'busy';
    if (!isOver && verdict !== 'to-blame') return true;
    if (verdict !== 'sound') failed(error.message, verdict);
    return false;
  };
  const leaveCell = async (): Promise<void> => {
    hasLeft ||= place.isCell();
    await place.leave();
  };
  return {
    async ask(request, isReplaying) {
      if (hasLeft) return { kind: 'forgotten' };
      for (let processes = 1; ; processes += 1) {
        try {
          process ??= await place.next(isSuspect || ends.length > 0);
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
      // What ends with the process needs no disposal.
      if (process && !hasLeft) await process.ask(request).catch(() => undefined);
      await leaveCell();
    },
  };
}

/** Where the code of an execution runs: with all others, or in a cell, which it keeps. */
function createPlace({ shared, alone }: Pick<RestartableDeps, 'shared' | 'alone'>) {
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

/** The process has one end, and the oldest of the requests tells if it was at work then. */
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
