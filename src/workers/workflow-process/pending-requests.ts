import type { Answer } from './messages.ts';

/** The process has ended, and the request with it. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  readonly part: PartInEnd;

  constructor(how: string, part: PartInEnd) {
    super(`The process of the workflow's code has ended: ${how}`);
    this.part = part;
  }
}

/** The part of a request in the end of its process. */
export type PartInEnd =
  /** The request has ended it. */
  | 'cause'
  /** It was the request's turn, and the machine had too little time to tell if it would ever have been done. */
  | 'suspect'
  /** The request waited for its turn. */
  | 'bystander';

/** Requests without an answer. The process does the oldest of them. */
export interface PendingRequests {
  /** @param withinMs the time that it may work once it is its turn @throws ProcessEnded */
  add(id: number, withinMs: number): Promise<Answer>;
  settle(answer: Answer): void;
  /** Rejects all of them, for the process has ended. @param part that of the oldest of them */
  end(how: string, part: PartInEnd): void;
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
  let watch: NodeJS.Timeout | undefined;
  const watchOldest = (): void => {
    clearTimeout(watch);
    const [oldest] = pending;
    if (!oldest) return;
    const [id, { withinMs }] = oldest;
    const since = { workedMs: workedMs(), at: performance.now() };
    const look = (): void => {
      if (pending.keys().next().value !== id) return;
      const leftMs = withinMs - (workedMs() - since.workedMs);
      const isOver = performance.now() - since.at >= BUSY_FACTOR * withinMs;
      if (leftMs <= 0 || isOver) return onLate(withinMs, leftMs <= 0);
      lookAfter(leftMs);
    };
    // After the timer, answers are read that came while this process stood still.
    const lookAfter = (ms: number): void => void (watch = setTimeout(() => setImmediate(look), Math.ceil(ms)));
    lookAfter(withinMs);
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
    end(how, part) {
      clearTimeout(watch);
      for (const [at, { reject }] of [...pending.values()].entries())
        reject(new ProcessEnded(how, at === 0 ? part : 'bystander'));
      pending.clear();
    },
  };
}
