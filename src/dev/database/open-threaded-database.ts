import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { isBuilt, ownModule } from '../../process/own-code.ts';
import type { EmbeddedDatabase, StatementResult } from '../../store/database/pglite-dialect.ts';
import { OPENING } from './messages.ts';
import type { DatabaseMessage, DatabaseRequestBody, SentError, SentResult, ThreadData } from './messages.ts';

/** An embedded database in a thread of its own. */
export interface ThreadedDatabase extends EmbeddedDatabase {
  close(): Promise<void>;
}

interface PendingStatement {
  readonly resolve: (result: SentResult<never> | null) => void;
  readonly reject: (error: Error) => void;
}

/** A thread starts with JavaScript and can load TypeScript once a loader is registered. */
const ENTRY = `
  const { reader, module } = require('node:worker_threads').workerData;
  const registered = reader ? import(reader).then(({ register }) => register()) : Promise.resolve();
  registered.then(() => import(module));
`;

function startThread(folder: string): Worker {
  const reader = isBuilt ? null : import.meta.resolve('tsx/esm/api');
  const module = pathToFileURL(ownModule('./database-thread', import.meta.url)).href;
  const workerData: ThreadData = { reader, module, folder };
  return new Worker(ENTRY, { eval: true, workerData });
}

/**
 * Opens an embedded PostgreSQL, which keeps its files in a folder. It runs in its own thread, because its statements
 * take processor time and would block requests to this process.
 * @throws when the database can't be opened
 */
export async function openThreadedDatabase(folder: string): Promise<ThreadedDatabase> {
  const thread = startThread(folder);
  const pending = new Map<number, PendingStatement>();
  const listeners = new Set<(channel: string, payload: string) => void>();
  const opened = new Promise<void>((resolve, reject) => pending.set(OPENING, { resolve: () => resolve(), reject }));
  let ended: Error | null = null;
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of pending.values()) reject(ended);
    pending.clear();
  };
  thread.on('error', end);
  thread.on('exit', () => end(new Error('The embedded database is closed')));
  thread.on('message', (message: DatabaseMessage) => handleMessage(message, { pending, listeners }));
  let lastId = OPENING;
  const ask = async <R>(request: DatabaseRequestBody): Promise<SentResult<R> | null> => {
    if (ended) throw ended;
    const id = ++lastId;
    const result = new Promise<SentResult<R> | null>((resolve, reject) => pending.set(id, { resolve, reject }));
    thread.postMessage({ id, ...request }, []);
    return await result;
  };
  await opened;
  return {
    waitReady: opened,
    query: async <R>(statement: string, parameters: unknown[]) =>
      toStatementResult(await ask<R>({ kind: 'query', statement, parameters })),
    exec: async (statements) => await ask({ kind: 'exec', statements }),
    onNotification(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      await ask({ kind: 'close' });
      await thread.terminate();
    },
  };
}

interface MessageTargets {
  readonly pending: Map<number, PendingStatement>;
  readonly listeners: ReadonlySet<(channel: string, payload: string) => void>;
}

function handleMessage(message: DatabaseMessage, { pending, listeners }: MessageTargets): void {
  if (message.kind === 'notification') {
    for (const listener of listeners) listener(message.channel, message.payload);
    return;
  }
  const request = pending.get(message.id);
  pending.delete(message.id);
  if (message.kind === 'failed') request?.reject(restoreError(message.error));
  else request?.resolve(message.result);
}

/** Parses the JSON columns of rows. */
function toStatementResult<R>(sent: SentResult<R> | null): StatementResult<R> {
  const { rows, json, affectedRows } = sent ?? { rows: [], json: [], affectedRows: 0 };
  for (const row of rows) for (const name of json) parseMember(row, name);
  return { rows, affectedRows };
}

function parseMember(row: unknown, name: string): void {
  if (typeof row !== 'object' || row === null) return;
  const text: unknown = Reflect.get(row, name);
  if (typeof text === 'string') Reflect.set(row, name, JSON.parse(text));
}

/** Restores an error of the thread with the members by which it is recognized. */
function restoreError({ name, message, code, stack }: SentError): Error {
  const error = name === 'RangeError' ? new RangeError(message) : new Error(message);
  return Object.assign(error, { stack, ...(code !== undefined && { code }) });
}
