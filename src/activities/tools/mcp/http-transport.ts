import { setTimeout as wait } from 'node:timers/promises';
import { AsyncLocalStorage } from 'node:async_hooks';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Response as UndiciResponse } from 'undici';
import { CallError, TRY_AGAIN, TRY_AGAIN_UNDONE } from '../../calls/call-error.ts';
import { fromNetwork, fromStatus } from '../../calls/classify-failure.ts';
import { traceHeaders } from '../../../telemetry/traces/traceparent.ts';
import type { GuardedFetch } from '../../../network/guarded-request.ts';
import { readBody } from '../../../network/read-body.ts';
import { boundAnswers, limitStream } from './bound-answers.ts';

interface HttpTransportOptions {
  readonly url: URL;
  readonly fetch: GuardedFetch;
  /** Resolved for each request, because a secret may change. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
}

/** The most time a server may take to accept a message that expects no answer. In milliseconds. */
const TAKE_MS = 10_000;

/**
 * Streamable HTTP with the guarded fetch. It fails a request whose answer breaks off; the SDK's own transport lets such
 * a request wait for its time-out. It ends everything that belongs to a request when that is answered or canceled; the
 * SDK's transport reads on until the end of the session.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** Called when the server no longer knows the session, or has broken it. */
  onSessionLost: (() => void) | undefined;
  /** Exchanges of requests by their ids, others by their messages. */
  readonly #exchanges = new Map<unknown, HttpExchange>();
  readonly #sendBounded = boundAnswers((error) => {
    for (const exchange of this.#exchanges.values()) exchange.fail(error);
    this.onSessionLost?.();
  });

  override onerror = ({ message }: Error): void => {
    if (RECONNECT_FAILED.test(message))
      currentExchange.getStore()?.fail(brokenOffError('the rest of it could not be had'));
  };

  override onmessage = (message: JSONRPCMessage): void => {
    currentExchange.getStore()?.pace.restart();
    if (!('method' in message)) this.#exchanges.get(Number(message.id))?.endSoon();
  };

  constructor(options: HttpTransportOptions) {
    super(options.url, { fetch: createFetch(options, () => this.onSessionLost?.()) });
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message)) throw new TypeError('Batches are no longer part of the protocol');
    if ('id' in message && 'method' in message) return await this.#sendRequest(message, options);
    try {
      await this.#sendBounded(message, async () => await this.#sendNotification(message, options));
    } finally {
      if ('method' in message && message.method === 'notifications/cancelled')
        this.#exchanges.get(message.params?.['requestId'])?.end();
    }
  }

  override async close(): Promise<void> {
    await super.close();
    for (const exchange of this.#exchanges.values()) exchange.end();
  }

  /** Sends a request. The answer comes by `onmessage`; only failures end the waiting here. */
  async #sendRequest(message: JSONRPCRequest, options?: SendOptions): Promise<void> {
    await new Promise<never>((_, reject) => {
      const exchange = this.#open(message.id, (error) => {
        reject(error);
        exchange.end();
      });
      const onresumptiontoken = (): void => void (exchange.isResumable = true);
      currentExchange.run(
        exchange,
        () => void super.send(message, { ...options, onresumptiontoken }).catch(exchange.fail),
      );
    });
  }

  /** Sends a message that gets no answer. */
  async #sendNotification(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    const exchange = this.#open(message, () => undefined);
    const timer = setTimeout(() => exchange.end(notAcceptedError()), TAKE_MS);
    try {
      await currentExchange.run(exchange, async () => await super.send(message, options));
    } finally {
      clearTimeout(timer);
      // After this message the SDK listens to the server, until the session ends.
      if (!('method' in message && message.method === 'notifications/initialized')) exchange.end();
    }
  }

  #open(key: unknown, onFailed: (error: CallError) => void): HttpExchange {
    const exchange = openExchange({ onFailed, onEnded: () => this.#exchanges.delete(key) });
    this.#exchanges.set(key, exchange);
    return exchange;
  }
}

/** The SDK's message when it stops requesting the rest of an answer. */
const RECONNECT_FAILED = /^Maximum reconnection attempts/;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];
type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

function createFetch({ fetch, headers }: HttpTransportOptions, onSessionLost: () => void): McpFetch {
  return async (url, init = {}) => {
    const exchange = currentExchange.getStore();
    const sdkHeaders = new Headers(init.headers);
    const { method = 'GET' } = init;
    if (method === 'GET' && exchange) await waitForPace(exchange);
    const request = {
      method,
      headers: { ...Object.fromEntries(sdkHeaders), ...traceHeaders(), ...(await headers()) },
      body: typeof init.body === 'string' ? init.body : null,
      signal: exchange?.signal ?? init.signal ?? null,
    };
    const response = await fetch(new URL(url), request).catch((error: unknown) => {
      throw fromNetwork('TOOL_FAILED', error);
    });
    if (!response.ok)
      return await failRequest(response, method, () => sdkHeaders.has(SESSION_HEADER) && onSessionLost());
    return watchResponse(response, exchange);
  };
}

/** @throws if the exchange is over, or ends meanwhile */
async function waitForPace({ pace, signal }: HttpExchange): Promise<void> {
  signal.throwIfAborted();
  const waitMs = pace.next(Date.now());
  if (waitMs > 0) await wait(waitMs, undefined, { signal });
}

const SESSION_HEADER = 'mcp-session-id';
/** The one unsuccessful status that the SDK handles: the server offers no such stream. */
const METHOD_NOT_ALLOWED = 405;

/**
 * Fails a request for an unsuccessful response, here, where its status and headers are known. Redirects are not
 * followed.
 */
async function failRequest(response: UndiciResponse, method: string, forgetSession: () => void): Promise<Response> {
  const { status, headers } = response;
  const text = await readBody(response).catch(() => '');
  if (method !== 'POST' && status === METHOD_NOT_ALLOWED) {
    currentExchange.getStore()?.fail(brokenOffError('the server does not resume it'));
    return new Response(null, { status });
  }
  const isSessionLost = method === 'POST' && (status === 404 || (status === 400 && /session/i.test(text)));
  if (isSessionLost) forgetSession();
  const message = `The server answered ${status}: ${text}`;
  if (isSessionLost) throw new CallError('TOOL_FAILED', message, TRY_AGAIN_UNDONE);
  throw fromStatus({ code: 'TOOL_FAILED', callee: 'tool', status, headers, message });
}

/** Limits a stream, and fails its request if it ends too early. */
function watchResponse(response: UndiciResponse, exchange: HttpExchange | undefined): Response {
  const { status, headers } = response;
  const init = { status, headers: [...headers] };
  if (!response.body) return new Response(null, init);
  const { readable, ended } = limitStream(response.body);
  if (exchange) void ended.then((error) => failAfterGrace(exchange, error));
  return new Response(readable, init);
}

function failAfterGrace(exchange: HttpExchange, error: CallError | null): void {
  if (error?.code === 'PAYLOAD_TOO_LARGE') return exchange.fail(error);
  // The SDK may still be reading the last answer; failing an answered request has no effect.
  setTimeout(
    () => exchange.isResumable || exchange.fail(error ?? brokenOffError('it ended early')),
    ANSWER_GRACE_MS,
  ).unref();
}

function brokenOffError(why: string): CallError {
  return new CallError('TOOL_FAILED', `The answer has broken off: ${why}`, TRY_AGAIN);
}

function notAcceptedError(): CallError {
  const message = `The server has not taken a message within ${TAKE_MS / 1_000} s`;
  return new CallError('TOOL_FAILED', message, TRY_AGAIN);
}

/** A message to a server with all HTTP requests that it causes: the rest of a broken answer is requested again. */
export interface HttpExchange {
  /** Ends the HTTP requests. */
  readonly signal: AbortSignal;
  /** The delays between requests for the rest of an answer. */
  readonly pace: RequestPace;
  /** True if the answer's events are numbered: the SDK then requests the rest of a broken answer. */
  isResumable: boolean;
  /** Fails a message that waits for its answer. */
  fail(this: void, error: CallError): void;
  end(error?: CallError): void;
  /** Ends it after a delay, because the SDK may still be reading. */
  endSoon(): void;
}

/** The time to read an answer that is complete. */
const ANSWER_GRACE_MS = 1_000;

/** The exchange that a `fetch` serves. */
const currentExchange = new AsyncLocalStorage<HttpExchange>();

interface ExchangeOptions {
  readonly onFailed: (error: CallError) => void;
  readonly onEnded: () => void;
}

function openExchange({ onFailed, onEnded }: ExchangeOptions): HttpExchange {
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
      timer ??= setTimeout(end, ANSWER_GRACE_MS).unref();
    },
  };
}

/** The delays between requests for more of one stream. The SDK leaves them to the server, which may demand none. */
export interface RequestPace {
  /** Returns the delay of the next request, in milliseconds. @param now in milliseconds since the epoch */
  next(now: number): number;
  /** Resets the delay after the stream has delivered a message. */
  restart(): void;
}

/**
 * The minimum time between the starts of two requests, so that a stream that has lasted long is requested again at
 * once.
 */
const SHORTEST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const GROWTH = 1.5;

/** Delays grow while streams end without a message. */
export function createPace(): RequestPace {
  let begunAt = Number.NEGATIVE_INFINITY;
  let pauseMs = SHORTEST_PAUSE_MS;
  return {
    next(now) {
      const waitMs = Math.max(0, begunAt + pauseMs - now);
      begunAt = now + waitMs;
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH);
      return waitMs;
    },
    restart() {
      pauseMs = SHORTEST_PAUSE_MS;
    },
  };
}
