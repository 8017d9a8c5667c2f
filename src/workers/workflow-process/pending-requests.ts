import { watchWork } from '../../process/thread-time.ts';
import type { Answer } from './messages.ts';
import type { ProcessEnd } from './process-end.ts';

/** The process has ended, and the request with it. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  readonly end: ProcessEnd;
  /** The process was at the request; otherwise the request waited for its turn. */
  readonly wasAtWork: boolean;

  constructor(end: ProcessEnd, wasAtWork: boolean) {
    super(`The process of the workflow's code has ended: ${end.how}`);
    this.end = end;
    this.wasAtWork = wasAtWork;
  }
}

/** Requests without an answer. The process does the oldest of them. */
export interface PendingRequests {
  /** @param withinMs the time that it may work once it is its turn @throws ProcessEnded */
  add(id: number, withinMs: number): Promise<Answer>;
  settle(answer: Answer): void;
  /** Rejects all, as the process has ended. */
  end(end: ProcessEnd): void;
}

interface Pending {
  readonly withinMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: ProcessEnded) => void;
}

export interface Watch {
  /** The time that the process has worked, in milliseconds: on a busy machine less than has passed. */
  readonly workedMs: () => number;
  /** Is called when the oldest request takes too long. @param hasWorked false: it waited for the machine */
  readonly onLate: (withinMs: number, hasWorked: boolean) => void;
}

/** A request may take so many times longer than it works, as others want the machine, too. Temporal waits no longer. */
const BUSY_FACTOR = 3;

export function createPendingRequests({ workedMs, onLate }: Watch): PendingRequests {
  const pending = new Map<number, Pending>();
  let stopWatching = (): void => undefined;
  const watchOldest = (): void => {
    stopWatching();
    const [oldest] = pending.values();
    if (!oldest) return;
    const { withinMs } = oldest;
    const workedBefore = workedMs();
    stopWatching = watchWork({
      limitMs: withinMs,
      patienceMs: BUSY_FACTOR * withinMs,
      workedMs: () => workedMs() - workedBefore,
      onLate: (hasWorked) => onLate(withinMs, hasWorked),
    });
  };
  return {
    async add(id, withinMs) {
      const answer = new Promise<Answer>((resolve, reject) => pending.set(id, { withinMs, resolve, reject }));
      if (pending.size === 1) watchOldest();
      return await answer;
    },
    settle(answer) {
      pending.get(answer.id)?.resolve(answer);
      pending.delete(answer.id);
      watchOldest();
    },
    end(end) {
      stopWatching();
      for (const [at, { reject }] of [...pending.values()].entries()) reject(new ProcessEnded(end, at === 0));
      pending.clear();
    },
  };
}
