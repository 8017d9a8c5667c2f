import { AsyncLocalStorage } from 'node:async_hooks';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Response as UndiciResponse } from 'undici';
import { CallError } from '../../calls/call-error.ts';
import { fromNetwork, fromStatus } from '../../calls/classify-failure.ts';
import { traceHeaders } from '../../../telemetry/traces/traceparent.ts';
import type { GuardedFetch } from '../../http/guarded-fetch.ts';
import { readBody } from '../../http/read-body.ts';
import { limitStream } from './limit-stream.ts';

interface HttpTransportOptions {
  readonly url: URL;
  readonly fetch: GuardedFetch;
  /** Resolved for each request, because a secret may change. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
}

/** A request that waits for its answer. */
interface PendingRequest {
  /** True if the answer's events are numbered: the SDK then requests the rest of a broken answer. */
  isResumable: boolean;
  readonly fail: (error: CallError) => void;
}

/** The request that a `fetch` serves. */
const pendingRequest = new AsyncLocalStorage<PendingRequest>();

/**
 * Streamable HTTP on the guarded fetch. It fails a request whose answer breaks off; the SDK's own transport lets such a
 * request wait for its time-out.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** Is called when the server no longer knows the session. */
  onSessionLost: (() => void) | undefined;

  override onerror = ({ message }: Error): void => {
    if (RECONNECT_FAILED.test(message)) pendingRequest.getStore()?.fail(brokenOff('the rest of it could not be had'));
  };

  constructor(options: HttpTransportOptions) {
    super(options.url, { fetch: createFetch(options, () => this.onSessionLost?.()) });
  }

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message) || !('id' in message) || !('method' in message))
      return await super.send(message, options);
    await new Promise<never>((_, reject) => {
      const request: PendingRequest = { isResumable: false, fail: reject };
      const onresumptiontoken = (): void => void (request.isResumable = true);
      pendingRequest.run(request, () => void super.send(message, { ...options, onresumptiontoken }).catch(reject));
    });
  }
}

/** The SDK's message when it stops requesting the rest of an answer. */
const RECONNECT_FAILED = /^Maximum reconnection attempts/;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];
type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

function createFetch({ fetch, headers }: HttpTransportOptions, onSessionLost: () => void): McpFetch {
  return async (url, init = {}) => {
    const sdkHeaders = new Headers(init.headers);
    const request = {
      method: init.method ?? 'GET',
      headers: { ...Object.fromEntries(sdkHeaders), ...traceHeaders(), ...(await headers()) },
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? null,
    };
    const response = await fetch(new URL(url), request).catch((error: unknown) => {
      throw fromNetwork('TOOL_FAILED', error);
    });
    if (!response.ok)
      return await refuse(response, request.method, () => sdkHeaders.has(SESSION_HEADER) && onSessionLost());
    return watchResponse(response, pendingRequest.getStore());
  };
}

const SESSION_HEADER = 'mcp-session-id';
/** The one unsuccessful status that the SDK handles: the server offers no such stream. */
const METHOD_NOT_ALLOWED = 405;

/**
 * Fails a request for an unsuccessful response, here, where its status and headers are known. Redirects are not
 * followed.
 */
async function refuse(response: UndiciResponse, method: string, forgetSession: () => void): Promise<Response> {
  const { status, headers } = response;
  const text = await readBody(response).catch(() => '');
  if (method !== 'POST' && status === METHOD_NOT_ALLOWED) {
    pendingRequest.getStore()?.fail(brokenOff('the server does not resume it'));
    return new Response(null, { status });
  }
  const isSessionLost = method === 'POST' && (status === 404 || (status === 400 && /session/i.test(text)));
  if (isSessionLost) forgetSession();
  const message = `The server answered ${status}: ${text}`;
  if (isSessionLost) throw new CallError('TOOL_FAILED', message, { retryable: true, done: 'no' });
  throw fromStatus({ code: 'TOOL_FAILED', callee: 'tool', status, headers, message });
}

/** Limits a stream, and fails its request if it ends too early. */
function watchResponse(response: UndiciResponse, request: PendingRequest | undefined): Response {
  const { status, headers } = response;
  const init = { status, headers: [...headers] };
  if (!response.body) return new Response(null, init);
  const { readable, ended } = limitStream(response.body);
  if (request) void ended.then((error) => failAfterGrace(request, error));
  return new Response(readable, init);
}

function failAfterGrace(request: PendingRequest, error: CallError | null): void {
  if (error?.code === 'PAYLOAD_TOO_LARGE') return request.fail(error);
  // The SDK may still be reading the last answer; failing an answered request has no effect.
  setTimeout(() => request.isResumable || request.fail(error ?? brokenOff('it ended early')), GRACE_MS).unref();
}

const GRACE_MS = 1_000;

function brokenOff(why: string): CallError {
  return new CallError('TOOL_FAILED', `The answer has broken off: ${why}`, { retryable: true, done: 'perhaps' });
}
