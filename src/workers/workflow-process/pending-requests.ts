import { watchWork } from '../../process/thread-time.ts';
import type { ProcessAnswer } from './messages.ts';
import type { ProcessEnd } from './process-end.ts';

/** The error of a request whose process has ended. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  readonly end: ProcessEnd;
  /** True if the process was executing the request; false if the request was waiting. */
  readonly wasExecuting: boolean;

  constructor(end: ProcessEnd, wasExecuting: boolean) {
    super(`The process of the workflow's code has ended: ${end.how}`);
    this.end = end;
    this.wasExecuting = wasExecuting;
  }
}

/** Requests without an answer. The process executes the oldest of them. */
export interface PendingRequests {
  /** @param withinMs the processor time that the request may take @throws ProcessEnded */
  add(id: number, withinMs: number): Promise<ProcessAnswer>;
  settle(answer: ProcessAnswer): void;
  /** Rejects all requests when the process has ended. */
  end(end: ProcessEnd): void;
}

interface PendingRequest {
  readonly withinMs: number;
  readonly resolve: (answer: ProcessAnswer) => void;
  readonly reject: (error: ProcessEnded) => void;
}

export interface ProcessWatch {
  /** The processor time of the process in milliseconds; on a busy machine it is less than the elapsed time. */
  readonly workedMs: () => number;
  /** Called when the oldest request takes too long. @param hasWorked false if the request waited for the machine */
  readonly onLate: (withinMs: number, hasWorked: boolean) => void;
}

/** The elapsed time of a request may be this many times its processor time; Temporal waits no longer. */
const BUSY_FACTOR = 3;

export function createPendingRequests({ workedMs, onLate }: ProcessWatch): PendingRequests {
  const pending = new Map<number, PendingRequest>();
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
      const answer = new Promise<ProcessAnswer>((resolve, reject) => pending.set(id, { withinMs, resolve, reject }));
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
      for (const [index, { reject }] of [...pending.values()].entries()) reject(new ProcessEnded(end, index === 0));
      pending.clear();
    },
  };
}
