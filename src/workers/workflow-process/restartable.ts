import type { RequestBody } from './messages.ts';
import { ProcessEnded } from './pending-requests.ts';
import type { PartInEnd } from './pending-requests.ts';
import type { Succeeded, WorkflowProcess } from './start-workflow-process.ts';

/** The requests of one execution, to the process that has its code. */
export interface Restartable {
  /**
   * Asks the process. What it has to do before, as at the beginning of the execution, travels with the request.
   * @param isReplaying the history says already what comes of the request
   * @throws ProcessEnded
   */
  ask(request: RequestBody, isReplaying: boolean): Promise<Succeeded>;
  /** Asks the process, and no other if that has ended. @throws ProcessEnded */
  askOnce(request: RequestBody): Promise<Succeeded>;
}

interface RestartableDeps {
  /** Gives the process of now. */
  readonly living: () => Promise<WorkflowProcess>;
  /** Is told how the process has ended, if the execution is its cause or a suspect. */
  readonly blame: (how: string, part: Exclude<PartInEnd, 'bystander'>) => void;
}

/** Each of them but the last has been ended by another execution. */
const MOST_PROCESSES = 5;

/**
 * An execution that does its first task, or is replayed for one, begins again in the next process when another execution
 * has ended the process. If its task failed, the next attempt would have to wait until Temporal's time-out, and could meet
 * the same end. A suspect does not begin again: its next attempt comes later, and others have the process meanwhile.
 * @param begin the request that every process has to do first
 */
export function createRestartable(
  first: WorkflowProcess,
  begin: RequestBody,
  { living, blame }: RestartableDeps,
): Restartable {
  let process = first;
  /** What brings the code to where it stands; null when that is beyond its history. */
  let replayed: RequestBody[] | null = [begin];
  /** The part of it that the process has not been asked for. */
  let missing: readonly RequestBody[] = replayed;
  const mayRestart = (error: unknown, processes: number): boolean => {
    if (!(error instanceof ProcessEnded)) return false;
    if (error.part === 'bystander') return replayed !== null && processes < MOST_PROCESSES;
    blame(error.message, error.part);
    return false;
  };
  const askRestarting = async (request: RequestBody): Promise<Succeeded> => {
    for (let processes = 1; ; processes += 1) {
      try {
        // The process has one end, and the oldest of its requests tells what their part in it was.
        const before = missing.map((one) => process.ask(one));
        const answer = process.ask(request);
        missing = [];
        await Promise.all([...before, answer]);
        return await answer;
      } catch (error) {
        if (!mayRestart(error, processes)) throw error;
      }
      process = await living();
      missing = replayed ?? [];
    }
  };
  return {
    async ask(request, isReplaying) {
      const answer = await askRestarting(request);
      if (isReplaying) replayed?.push(request);
      else replayed = null;
      return answer;
    },
    askOnce: async (request) => await process.ask(request),
  };
}
