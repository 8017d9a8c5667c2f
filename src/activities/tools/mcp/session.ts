import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CallError } from '../../calls/call-error.ts';
import { HttpTransport } from './http-transport.ts';
import { listTools } from './list-tools.ts';
import type { ListedTool } from './list-tools.ts';
import type { ServerTransport } from './open-transport.ts';
import { describeFailure } from './to-call-error.ts';

export type ToolList = ReadonlyMap<string, ListedTool>;

/** A conversation with a server, from its greeting until either side ends it. */
export interface Session {
  /** What the server lists now: asked for again after it has said that its list has changed. */
  tools(): Promise<ToolList>;
  /** Asks for a call. When the signal aborts meanwhile, the server is told that nobody waits any more. */
  call(params: CallToolRequest['params'], signal: AbortSignal): Promise<CallToolResult>;
  /** Is done when the conversation has ended. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

/** So long a server may take to greet, or to list a page of its tools. */
const REQUEST_TIMEOUT_MS = 60_000;
/** How long a call may take is its caller's concern; timers take no more. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;
/** The SDK gives a program 2 seconds to end by itself, and 2 more after it was told to. */
const CLOSE_TIMEOUT_MS = 6_000;
const TERMINATE_TIMEOUT_MS = 2_000;

/** Greets a server. @throws when it does not greet back; nothing of it is left then */
export async function openSession(server: ServerTransport): Promise<Session> {
  const { transport } = server;
  const client = new Client({ name: 'holdfast', version: '1' });
  const ended = endOf(transport);
  const close = async (): Promise<void> => {
    if (transport instanceof HttpTransport) await waitAtMost(TERMINATE_TIMEOUT_MS, transport.terminateSession());
    await waitAtMost(CLOSE_TIMEOUT_MS, Promise.all([transport.close(), ended]));
  };
  const listCurrentTools = watchToolList(client);
  try {
    await client.connect(transport, { timeout: REQUEST_TIMEOUT_MS });
  } catch (error) {
    await close();
    throw error instanceof CallError ? error : new Error(explain(error, server.errorOutput()), { cause: error });
  }
  return {
    tools: listCurrentTools,
    async call(params, signal) {
      if (!client.transport)
        throw new CallError('TOOL_FAILED', 'The connection is closed', { retryable: true, done: 'no' });
      return await withOwnSignal(signal, async (wanted) => {
        const options = { signal: wanted, timeout: NO_TIMEOUT_MS };
        return await client.request({ method: 'tools/call', params }, CallToolResultSchema, options);
      });
    },
    ended,
    close,
  };
}

async function endOf(transport: ServerTransport['transport']): Promise<void> {
  await new Promise<void>((resolve) => {
    Object.assign(transport, { onclose: resolve });
    if (!(transport instanceof HttpTransport)) return;
    transport.onSessionLost = () => {
      resolve();
      // The request that found it out hears of it first; the others end with the connection.
      setImmediate(() => void transport.close());
    };
  });
}

/** Waits for something to end, however it does, but not longer than so. */
async function waitAtMost(timeoutMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}

function explain(error: unknown, errorOutput: string): string {
  return errorOutput === '' ? describeFailure(error) : `${describeFailure(error)}; it said: ${errorOutput}`;
}

/** More changes during one listing come from a server that does not know what it has. */
const MAX_LISTINGS = 5;

/** The server's list, kept until it says that the list has changed. */
function watchToolList(client: Client): () => Promise<ToolList> {
  let listing: Promise<ToolList> | null = null;
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

/** The SDK cancels what was answered long ago, too, when a signal aborts late. */
async function withOwnSignal<T>(signal: AbortSignal, work: (wanted: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => controller.abort('Nobody waits for the answer any more');
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    return await work(controller.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
