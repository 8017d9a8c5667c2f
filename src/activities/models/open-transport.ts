import type { GuardedFetch } from '../http/guarded-fetch.ts';
import { limitBytes } from '../http/limit-bytes.ts';

/** The connection of one call to its provider. */
export interface Transport {
  /** The `fetch` for adapters, whose bodies are always text. */
  readonly fetch: typeof globalThis.fetch;
  /** The status of the last response; `null` without one. */
  lastStatus(): number | null;
}

/** A streamed answer takes many times the bytes of its text. */
const MAX_ANSWER_BYTES = 64_000_000;

/** Gives an adapter the guarded `fetch` and limits its responses. */
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
