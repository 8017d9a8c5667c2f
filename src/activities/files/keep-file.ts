import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import type { StoredFilePart } from '../../graph/definition/index.ts';
import type { Json } from '../../graph/values/index.ts';
import { isDatabaseAway, pauseBeforeRetry } from '../../store/database/database-away.ts';
import type { Store } from '../../store/store.ts';
import { CallError, UNCLEAR } from '../calls/call-error.ts';
import type { AnsweredBytes, ToolCall, ToolContext } from '../tools/tool.ts';

/**
 * Stores bytes that a tool has answered as a file of the tenant; the starter of the run is its owner.
 * @returns the part that shows the file in a message
 * @throws CallError `TOOL_FAILED` when the tenant has no space left
 */
export type KeepFile = (answered: AnsweredBytes, call: FileOwner) => Promise<StoredFilePart>;

/** The call that a file is stored for. */
export type FileOwner = Pick<ToolContext, 'tenantId' | 'principal'>;

/** The maximum size of a file: that of a file in a prompt. */
export const MAX_ANSWERED_BYTES = 10 * 1_048_576;
/** The bytes of one row. */
const PIECE_BYTES = 1_048_576;

/** Creates what stores the files of tools. */
export function createFileKeeper(files: Pick<Store['files'], 'addPiece' | 'keep' | 'discard'>): KeepFile {
  return async ({ bytes, mediaType }, { tenantId, principal }) => {
    const id = ulid();
    const upload = { id, size: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
    try {
      for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES)
        await files.addPiece(id, from / PIECE_BYTES, bytes.subarray(from, from + PIECE_BYTES));
      const stored = await files.keep({ id, tenantId, upload, contentType: mediaType, by: principal.sub });
      if (!stored) throw noSpace();
    } finally {
      await files.discard(id);
    }
    return { type: mediaType.startsWith('image/') ? 'image' : 'file', blob: id, mediaType };
  };
}

/** How a call stores a file, and when it ends. */
export type FileStorage = Pick<ToolCall, 'keepFile' | 'signal'>;

/**
 * Stores a file that an answer needs. The work of the tool is done, so this tries again while the database is
 * unavailable, until the call ends.
 * @throws the error of the last try
 */
export async function keepNeededFile(file: AnsweredBytes, { keepFile, signal }: FileStorage): Promise<StoredFilePart> {
  for (let tries = 1; ; tries++) {
    try {
      return await keepFile(file);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await pauseBeforeRetry(tries);
      if (signal.aborted) throw error;
    }
  }
}

/** Fails where files can't be stored. */
export const keepNoFile: KeepFile = async () =>
  await Promise.reject(new CallError('TOOL_FAILED', 'The answer is a file, and files are not stored here', UNCLEAR));

/** Returns the result of a tool whose whole answer is a file. */
export function toFileResult(file: StoredFilePart, size: number): Json {
  return { file: { ...file }, size };
}

function noSpace(): CallError {
  const message = 'The answer is a file, and the tenant has no space for more files';
  return new CallError('TOOL_FAILED', message, UNCLEAR);
}
