import { inspect } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import { cacheFolder } from '../data-folder.ts';
import { OPENING } from './messages.ts';
import type { DatabaseMessage, DatabaseRequest, SentError, SentResult, ThreadData } from './messages.ts';
import { openFolder, openPglite, pgliteVersion } from './open-folder.ts';

/* The thread of an embedded database (`open-threaded-database.ts`). */

const JSON_TYPES = [114, 3_802];
const asText = (text: string): string => text;
const JSON_PARSERS = Object.fromEntries(JSON_TYPES.map((type) => [type, asText]));

try {
  const { folder }: ThreadData = workerData;
  const kept = cacheFolder(process.env, `pglite-${pgliteVersion()}`);
  const database = await openFolder(folder, { open: openPglite, kept });
  database.onNotification((channel, payload) => postToRequester({ kind: 'notification', channel, payload }));
  parentPort?.on('message', (request: DatabaseRequest) => void answerRequest(database, request));
  postToRequester({ kind: 'answer', id: OPENING, result: null });
} catch (error) {
  postToRequester({ kind: 'failed', id: OPENING, error: toSentError(error) });
}

async function answerRequest(database: PGlite, request: DatabaseRequest): Promise<void> {
  const { id } = request;
  try {
    postToRequester({ kind: 'answer', id, result: await performRequest(database, request) });
  } catch (error) {
    postToRequester({ kind: 'failed', id, error: toSentError(error) });
  }
}

async function performRequest(database: PGlite, request: DatabaseRequest): Promise<SentResult<unknown> | null> {
  switch (request.kind) {
    case 'query': {
      const { statement, parameters } = request;
      const result = await database.query(statement, [...parameters], { parsers: JSON_PARSERS });
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

function postToRequester(message: DatabaseMessage<unknown>): void {
  parentPort?.postMessage(message, []);
}

function toSentError(error: unknown): SentError {
  // The file system of the embedded database throws values that are no `Error`.
  const { name, message, stack } = error instanceof Error ? error : new Error(inspect(error));
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return { name, message, code, stack };
}
