import { settleAll } from './settle-all.ts';

/** What a process has open, to be closed together. */
export interface Parts {
  /** Aborted when the parts close: what is waited for is given up. */
  readonly closing: AbortSignal;
  /** Waits for a part, which is closed with the others, also if it opens later than they close. */
  keep<T>(part: T | Promise<T>, close: (part: T) => Promise<unknown>): Promise<T>;
  /** @throws the first failure, when all has been tried */
  close(): Promise<void>;
}

/** Begins with no parts. */
export function keepParts(): Parts {
  const closing = new AbortController();
  const closers: (() => Promise<unknown>)[] = [];
  return {
    closing: closing.signal,
    async keep(part, close) {
      const opening = Promise.resolve(part);
      closers.push(async () => await opening.then(close, () => undefined));
      return await opening;
    },
    async close() {
      closing.abort();
      await settleAll(closers.map(async (close) => await close()));
    },
  };
}
