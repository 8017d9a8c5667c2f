import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { cacheFolder } from '../data-folder.ts';
import { OPENING } from './messages.ts';
import type { Message, Request, SentError, SentResult, ThreadData } from './messages.ts';
import { openFolder, openPglite, pgliteVersion } from './open-folder.ts';

/* The thread of an embedded database (`open-threaded-database.ts`). */

const JSON_TYPES = [114, 3_802];
const asText = (text: string): string => text;
const parsers = Object.fromEntries(JSON_TYPES.map((type) => [type, asText]));

try {
  const { folder }: ThreadData = workerData;
  const kept = cacheFolder(process.env, `pglite-${pgliteVersion()}`);
  const database = await openFolder(folder, { open: openPglite, kept });
  database.onNotification((channel, payload) => say({ kind: 'notification', channel, payload }));
  parentPort?.on('message', (request: Request) => void answer(database, request));
  say({ kind: 'answer', id: OPENING, result: null });
} catch (error) {
  say({ kind: 'failed', id: OPENING, error: toSent(error) });
}

async function answer(database: PGlite, request: Request): Promise<void> {
  const { id } = request;
  try {
    say({ kind: 'answer', id, result: await perform(database, request) });
  } catch (error) {
    say({ kind: 'failed', id, error: toSent(error) });
  }
}

async function perform(database: PGlite, request: Request): Promise<SentResult<unknown> | null> {
  switch (request.kind) {
    case 'query': {
      const { statement, parameters } = request;
      const result = await database.query(statement, [...parameters], { parsers });
      const json = result.fields.filter(({ dataTypeID }) => JSON_TYPES.includes(dataTypeID)).map(({ name }) => name);
      return { rows: result.rows, json, affectedRows: result.affectedRows ?? 0 };
    }
    case 'exec':
      await database.exec(request.statements);
      return null;
    case 'close':
      await database.close();
      return null;
  }
}

function say(message: Message<unknown>): void {
  parentPort?.postMessage(message, []);
}

function toSent(error: unknown): SentError {
  // The file system of the embedded database throws values that are no `Error`.
  const { name, message, stack } = error instanceof Error ? error : new Error(inspect(error));
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return { name, message, code, stack };
}
