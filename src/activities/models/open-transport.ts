import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { limitBytes } from '../http/limit-bytes.ts';

/** The way of one call to its provider. */
export interface Transport {
  /** What the adapters call. They send texts only. */
  readonly fetch: typeof globalThis.fetch;
  /** The status of the last answer; `null`: there was none. */
  lastStatus(): number | null;
}

/** Pieces of a stream take many times the bytes of what they say. */
const MAX_ANSWER_BYTES = 64_000_000;

/** Lets an adapter use the guarded `fetch`, which it knows nothing of, and bounds what comes back. */
export function openTransport(fetch: GuardedFetch): Transport {
  let lastStatus: number | null = null;
  return {
    lastStatus: () => lastStatus,
    fetch: async (input, init = {}) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const { method = 'GET', headers, body, signal } = init;
      lastStatus = null;
      const response = await fetch(url, {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body: typeof body === 'string' ? body : null,
        signal: signal ?? null,
      });
      lastStatus = response.status;
      return new Response(response.body?.pipeThrough(limitBytes(MAX_ANSWER_BYTES)) ?? null, {
        status: response.status,
        statusText: response.statusText,
        headers: Object.fromEntries(response.headers),
      });
    },
  };
}
