import type { GuardedFetch } from '../../network/guarded-request.ts';
import { limitBytes } from '../../network/read-body.ts';
import { readEvents, readWhole } from './wire/read-answer.ts';
import type { WireFormat } from './wire/wire-format.ts';

/** The connection of one call to its provider. */
export interface Transport {
  /** The `fetch` for adapters, whose bodies are always text. */
  readonly fetch: typeof globalThis.fetch;
  /** The status of the last response; `null` without one. */
  lastStatus(): number | null;
  /** Makes the next response fail with a `NotStreamedError` if it is no stream. */
  expectStream(): void;
  /** Accepts any response again. */
  expectWhole(): void;
}

/**
 * The server returned a complete answer where a stream was requested. The next `fetch` returns this answer without a
 * request.
 */
export class NotStreamedError extends Error {
  constructor() {
    super('The answer is no stream');
    this.name = 'NotStreamedError';
  }
}

/** A streamed answer takes many times the bytes of its text. */
const MAX_ANSWER_BYTES = 64_000_000;

/**
 * Gives an adapter the guarded `fetch`, limits its responses, and rewrites successful ones.
 * @param format the form of the provider's answers; `null` to leave them as they are
 */
export function openTransport(fetch: GuardedFetch, format: WireFormat | null): Transport {
  let expectsStream = false;
  let lastStatus: number | null = null;
  let whole: Response | null = null;
  return {
    lastStatus: () => lastStatus,
    expectStream() {
      expectsStream = true;
    },
    expectWhole() {
      expectsStream = false;
    },
    fetch: async (input, init = {}) => {
      if (whole) return await rewriteWhole(whole, format);
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
      const limited = limit(response);
      if (!expectsStream) return await rewriteWhole(limited, format);
      if (!isWhole(limited)) return rewriteStream(limited, format);
      whole = limited;
      throw new NotStreamedError();
    },
  };
}

type FetchedResponse = Awaited<ReturnType<GuardedFetch>>;

function limit({ body, status, statusText, headers }: FetchedResponse): Response {
  const limited = body?.pipeThrough(limitBytes(MAX_ANSWER_BYTES)) ?? null;
  return new Response(limited, { status, statusText, headers: Object.fromEntries(headers) });
}

async function rewriteWhole(response: Response, format: WireFormat | null): Promise<Response> {
  if (!format || !response.ok) return response;
  const { status, statusText, headers } = response;
  return new Response(readWhole(await response.text(), format), { status, statusText, headers });
}

function rewriteStream({ ok, body, status, statusText, headers }: Response, format: WireFormat | null): Response {
  const events = ok && format ? (body?.pipeThrough(readEvents(format)) ?? null) : body;
  return new Response(events, { status, statusText, headers });
}

/** Some servers ignore the request for a stream. */
function isWhole({ ok, headers }: Response): boolean {
  return ok && /^$|\bjson\b/.test(headers.get('content-type') ?? '');
}
