import { AsyncLocalStorage } from 'node:async_hooks';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Response as UndiciResponse } from 'undici';
import { CallError } from '../../calls/call-error.ts';
import { fromNetwork, fromStatus } from '../../calls/classify-failure.ts';
import type { GuardedFetch } from '../../http/guarded-fetch.ts';
import { readBody } from '../../http/read-body.ts';
import { limitStream } from './limit-stream.ts';

interface HttpTransportOptions {
  readonly url: URL;
  readonly fetch: GuardedFetch;
  /** Asked for with each request, so that a secret may change while the server is in use. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
}

/** A request whose answer is awaited. */
interface PendingRequest {
  /** The server has numbered the events of the answer: the SDK asks for the rest of one that broke off. */
  isResumable: boolean;
  readonly fail: (error: CallError) => void;
}

/** Tells the `fetch` which request it serves. */
const pendingRequest = new AsyncLocalStorage<PendingRequest>();

/**
 * Streamable HTTP by way of the guarded fetch. The SDK's own leaves a request waiting for its time-out when its answer
 * breaks off; this one fails it.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  /** The server has forgotten the session, so that nothing can be asked in it any more. */
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

/** What the SDK says when it has asked for the rest of an answer often enough. */
const RECONNECT_FAILED = /^Maximum reconnection attempts/;

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];
type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

function createFetch({ fetch, headers }: HttpTransportOptions, onSessionLost: () => void): McpFetch {
  return async (url, init = {}) => {
    const sdkHeaders = new Headers(init.headers);
    const request = {
      method: init.method ?? 'GET',
      headers: { ...Object.fromEntries(sdkHeaders), ...(await headers()) },
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
/** The only status besides success that means something to the SDK: there is no such stream. */
const METHOD_NOT_ALLOWED = 405;

/** What is no success fails here, where status and headers are at hand: redirects are not followed, either. */
async function refuse(response: UndiciResponse, method: string, forgetSession: () => void): Promise<Response> {
  const { status, headers } = response;
  const text = await readBody(response).catch(() => '');
  if (method !== 'POST' && status === METHOD_NOT_ALLOWED) {
    pendingRequest.getStore()?.fail(brokenOff('the server does not go on with it'));
    return new Response(null, { status });
  }
  const isSessionLost = method === 'POST' && (status === 404 || (status === 400 && /session/i.test(text)));
  if (isSessionLost) forgetSession();
  const message = `The server answered ${status}: ${text}`;
  if (isSessionLost) throw new CallError('TOOL_FAILED', message, { retryable: true, done: 'no' });
  throw fromStatus({ code: 'TOOL_FAILED', callee: 'tool', status, headers, message });
}

/** Bounds a stream, and fails the request that it answers, if any, when it ends too early. */
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
  // What has come in is still on its way through the SDK; once it has answered the request, failing it does nothing.
  setTimeout(() => request.isResumable || request.fail(error ?? brokenOff('it ended early')), GRACE_MS).unref();
}

const GRACE_MS = 1_000;

function brokenOff(why: string): CallError {
  return new CallError('TOOL_FAILED', `The answer has broken off: ${why}`, { retryable: true, done: 'perhaps' });
}
