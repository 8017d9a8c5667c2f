import type { Answer } from './messages.ts';

/** The process has ended, and the request with it. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
  /** The process ended while it did this request; false: the request waited for its turn. */
  readonly isCause: boolean;

  constructor(how: string, isCause: boolean) {
    super(`The process of the workflow's code has ended: ${how}`);
    this.isCause = isCause;
  }
}

/** Requests without an answer. The process does the oldest of them. */
export interface PendingRequests {
  /** @param withinMs how long it may take once it is its turn @throws ProcessEnded */
  add(id: number, withinMs: number): Promise<Answer>;
  settle(answer: Answer): void;
  /** Rejects all of them, for the process has ended. */
  end(how: string): void;
}

interface Pending {
  readonly withinMs: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: ProcessEnded) => void;
}

/** @param onLate is called when the oldest request takes too long */
export function createPendingRequests(onLate: (withinMs: number) => void): PendingRequests {
  const pending = new Map<number, Pending>();
  let watch: NodeJS.Timeout | undefined;
  const watchOldest = (): void => {
    clearTimeout(watch);
    const [oldest] = pending;
    if (!oldest) return;
    const [id, { withinMs }] = oldest;
    // After the timer, answers are read that came while this process stood still.
    const look = (): void => void setImmediate(() => pending.keys().next().value === id && onLate(withinMs));
    watch = setTimeout(look, withinMs);
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
    end(how) {
      clearTimeout(watch);
      for (const [at, { reject }] of [...pending.values()].entries()) reject(new ProcessEnded(how, at === 0));
      pending.clear();
    },
  };
}
