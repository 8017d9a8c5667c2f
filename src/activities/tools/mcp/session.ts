import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CallError } from '../../calls/call-error.ts';
import { HttpTransport } from './http-transport.ts';
import { listTools } from './list-tools.ts';
import type { ToolListing } from './list-tools.ts';
import type { ServerTransport } from './open-transport.ts';
import { describeFailure, unreachableServer, toUnreachableError } from './to-call-error.ts';

/** A session with a server, from initialization until either side ends it. */
export interface McpSession {
  /** Returns the server's current tools; they are listed again after the server reports a change. */
  tools(): Promise<ToolListing>;
  /** Calls a tool. When the signal aborts, it cancels the request. */
  call(params: CallToolRequest['params'], signal: AbortSignal): Promise<CallToolResult>;
  /** Resolves when the session has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** Limit of initialization and of each page of the list of tools. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Callers limit calls themselves; this is Node's longest timer. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** The SDK gives a program 2 seconds to exit, and 2 more after a signal. */
const CLOSE_TIMEOUT_MS = 6_000;
const TERMINATE_TIMEOUT_MS = 2_000;

/** Initializes a session. @throws if the server does not answer, or the signal aborts; the transport is closed then */
export async function openSession(server: ServerTransport, closing: AbortSignal): Promise<McpSession> {
  const { transport } = server;
  const client = new Client({ name: 'holdfast', version: '1' });
  const ended = whenClosed(transport);
  const close = async (): Promise<void> => {
    if (transport instanceof HttpTransport) await waitAtMost(TERMINATE_TIMEOUT_MS, transport.terminateSession());
    await waitAtMost(CLOSE_TIMEOUT_MS, Promise.all([transport.close(), ended]));
  };
  const listCurrentTools = watchToolList(client);
  try {
    await withOwnSignal(
      closing,
      async (signal) => await client.connect(transport, { signal, timeout: REQUEST_TIMEOUT_MS }),
    );
  } catch (error) {
    await close();
    throw error instanceof CallError
      ? error
      : new Error(explainConnectionError(error, server.errorOutput()), { cause: error });
  }
  return {
    tools: listCurrentTools,
    async call(params, signal) {
      if (!client.transport) throw unreachableServer('The connection is closed');
      return await withOwnSignal(signal, async (ownSignal) => {
        const options = { signal: ownSignal, timeout: NO_TIMEOUT_MS };
        return await client.request({ method: 'tools/call', params }, CallToolResultSchema, options);
      });
    },
    ended,
    close,
  };
}

async function whenClosed(transport: ServerTransport['transport']): Promise<void> {
  await new Promise<void>((resolve) => {
    Object.assign(transport, { onclose: resolve });
    if (!(transport instanceof HttpTransport)) return;
    transport.onSessionLost = () => {
      resolve();
      // The request that detected this fails first; closing then fails the others.
      setImmediate(() => void transport.close());
    };
  });
}

/** Waits until work is done, at most for the given time. */
async function waitAtMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

function explainConnectionError(error: unknown, errorOutput: string): string {
  return errorOutput === '' ? describeFailure(error) : `${describeFailure(error)}; it said: ${errorOutput}`;
}

/** A server that changes its list more often during one request is broken. */
const MAX_LISTINGS = 5;

/** Returns the server's list of tools, cached until the server reports a change. */
function watchToolList(client: Client): () => Promise<ToolListing> {
  let listing: Promise<ToolListing> | null = null;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (listing = null));
  return async () => {
    for (let listings = 0; listings < MAX_LISTINGS; listings += 1) {
      const current = (listing ??= listTools(client, REQUEST_TIMEOUT_MS));
      const tools = await current.catch((error: unknown) => {
        if (listing === current) listing = null;
        throw error;
      });
      if (listing === current) return tools;
    }
    throw new Error('Its list of tools changes all the time');
  };
}

/** The SDK also cancels answered requests when their signal aborts late, so each request gets a signal of its own. */
async function withOwnSignal<T>(signal: AbortSignal, work: (ownSignal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort('The call was canceled');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A connection to a server. It opens a new session when the last one has ended. */
export interface McpConnection {
  /** Returns the open session or a new one. @throws CallError if the server is not available */
  session(): Promise<McpSession>;
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** @param closing aborts when the connection is closed meanwhile */
  readonly open: (closing: AbortSignal) => Promise<McpSession>;
  /** Called when a session ends unexpectedly. */
  readonly onLost: () => void;
}

const FIRST_RECONNECT_PAUSE_MS = 1_000;
const MAX_RECONNECT_PAUSE_MS = 60_000;

/**
 * Opens sessions on demand, with exponential backoff after failures. Until the next attempt, callers get an error with
 * `retryAfterMs`.
 */
export function keepConnection({ open, onLost }: ConnectionOptions): McpConnection {
  let current: Promise<McpSession> | null = null;
  const closing = new AbortController();
  let failures = 0;
  let retryAt = 0;

  const forget = (session: Promise<McpSession>): boolean => {
    if (current !== session) return false;
    current = null;
    return !closing.signal.aborted;
  };
  const openNext = (): Promise<McpSession> => {
    const opening = open(closing.signal);
    opening.then(
      (session) => {
        failures = 0;
        void session.ended.then(() => {
          if (forget(opening)) onLost();
        });
      },
      () => {
        forget(opening);
        retryAt = Date.now() + Math.min(MAX_RECONNECT_PAUSE_MS, FIRST_RECONNECT_PAUSE_MS * 2 ** failures);
        failures += 1;
      },
    );
    return opening;
  };
  return {
    async session() {
      if (closing.signal.aborted) throw unreachableServer('The connection is closed');
      const pauseMs = retryAt - Date.now();
      if (!current && pauseMs > 0) throw unreachableServer('The server was away a moment ago', pauseMs);
      try {
        return await (current ??= openNext());
      } catch (error) {
        throw toUnreachableError(error);
      }
    },
    async close() {
      closing.abort();
      const session = await current?.catch(() => null);
      await session?.close();
    },
  };
}
