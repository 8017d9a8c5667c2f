import { createHash } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { ulid } from 'ulid';
import type { ApiEnv, ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { requirePlainJson, readJsonText } from '../http/read-json.ts';
import type { Files, Upload } from '../../store/files.ts';

const JSON_TYPE = 'application/json';

/**
 * Reads a JSON body and limits its bytes while they arrive.
 * @param maxBytes the limit of the body
 * @param absent how to handle a request without body and media type: as `{}`, which most routes that need a body
 * refuse, or with an error, for routes that accept any object
 */
export function jsonBody(maxBytes: number, absent: 'is-empty' | 'is-refused' = 'is-empty') {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { url, method, signal, headers: given } = c.req.raw;
    const bytes = await readBodyBytes(c.req.raw, maxBytes);
    const isAbsent = bytes.byteLength === 0 && !given.has('content-type');
    if (!isAbsent) requirePlainJson(given);
    else if (absent === 'is-refused') throw new ApiError('INVALID_REQUEST', 'This request needs a body');
    const body = isAbsent ? '{}' : readJsonText(bytes);
    const headers = new Headers(given);
    headers.set('content-type', JSON_TYPE);
    c.req.raw = new Request(url, { method, headers, body, signal });
    await next();
  });
}

/** Reads a whole body. @throws ApiError 413 as soon as it exceeds the limit */
export async function readBodyBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = (): ApiError => new ApiError('BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The most bytes of a file. */
const MAX_FILE_BYTES = 67_108_864;
/** The bytes of one row, which a request holds in memory at a time. */
const PIECE_BYTES = 1_048_576;

/**
 * Stores the body of a request in pieces while it arrives, and passes the upload to the handler. A missing body counts
 * as an empty one. Pieces that have not become a file when the request ends are deleted.
 */
export function storedBody({ store: { files }, logger }: Pick<ApiDeps, 'store' | 'logger'>) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const { headers, body } = c.req.raw;
    if (Number(headers.get('content-length') ?? 0) > MAX_FILE_BYTES) throw fileTooLarge();
    const id = ulid();
    try {
      c.set('upload', await storeUpload(files, id, body ?? []));
      await next();
    } finally {
      await files
        .discard(id)
        .catch((error: unknown) => logger.warn({ error, upload: id }, 'an upload is left to the sweeper'));
    }
  });
}

async function storeUpload(files: Files, id: string, body: ByteChunks): Promise<Upload> {
  const hash = createHash('sha256');
  let size = 0;
  let number = 0;
  for await (const piece of chunksToPieces(body)) {
    size += piece.byteLength;
    hash.update(piece);
    await files.addPiece(id, number, piece);
    number += 1;
  }
  return { id, size, sha256: hash.digest('hex') };
}

type ByteChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Combines chunks to pieces of equal size; only the last one may be smaller.
 * @throws ApiError when the limit is exceeded
 */
async function* chunksToPieces(chunks: ByteChunks): AsyncGenerator<Uint8Array, void> {
  const buffer = Buffer.alloc(PIECE_BYTES);
  let filled = 0;
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > MAX_FILE_BYTES) throw fileTooLarge();
    for (let from = 0; from < chunk.byteLength;) {
      const part = chunk.subarray(from, from + PIECE_BYTES - filled);
      buffer.set(part, filled);
      from += part.byteLength;
      filled += part.byteLength;
      if (filled === PIECE_BYTES) {
        yield buffer;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

function fileTooLarge(): ApiError {
  return new ApiError('BODY_TOO_LARGE', `The file is larger than ${MAX_FILE_BYTES} bytes`);
}
