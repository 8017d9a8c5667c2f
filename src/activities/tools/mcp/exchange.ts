import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallError } from '../../calls/call-error.ts';
import { createPace } from './pace.ts';
import type { Pace } from './pace.ts';

/** A message to a server, with all HTTP requests that it leads to: a broken answer is asked for again. */
export interface Exchange {
  /** Ends the HTTP requests. */
  readonly signal: AbortSignal;
  /** Of the requests for the rest of an answer. */
  readonly pace: Pace;
  /** True if the answer's events are numbered: the SDK then requests the rest of a broken answer. */
  isResumable: boolean;
  /** Fails a message that waits for its answer. */
  fail(this: void, error: CallError): void;
  end(error?: CallError): void;
  /** Ends it after a moment, because the SDK may still be reading. */
  endSoon(): void;
}

/** In which an answer that has come is read to its end. */
export const GRACE_MS = 1_000;

/** The exchange that a `fetch` serves. */
export const currentExchange = new AsyncLocalStorage<Exchange>();

interface ExchangeOptions {
  readonly onFailed: (error: CallError) => void;
  readonly onEnded: () => void;
}

export function openExchange({ onFailed, onEnded }: ExchangeOptions): Exchange {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (error?: CallError): void => {
    clearTimeout(timer);
    ending.abort(error);
    onEnded();
  };
  return {
    signal: ending.signal,
    pace: createPace(),
    isResumable: false,
    fail: onFailed,
    end,
    endSoon() {
      timer ??= setTimeout(end, GRACE_MS).unref();
    },
  };
}
