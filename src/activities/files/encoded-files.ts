import type { StoredFilePart } from '../../graph/definition/index.ts';
import { checkedMediaType, isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { AnsweredBytes } from '../tools/tool.ts';
import { MAX_ANSWERED_BYTES } from './keep-file.ts';
import type { FileStorage } from './keep-file.ts';

/** The bytes of a part in MCP's form: `image`, `audio`, or `resource` with a `blob`. */
export interface EncodedFile {
  /** In Base64. */
  readonly data: string;
  readonly mediaType: string;
}

/** Returns the bytes in a part of MCP's form; `null` if it has none. */
export function encodedFileIn(part: JsonObject): EncodedFile | null {
  const { type, data, mimeType, resource = null } = part;
  if (type === 'image' || type === 'audio') return encoded(data, mimeType);
  return type === 'resource' && isJsonObject(resource) ? encoded(resource['blob'], resource['mimeType'] ?? '') : null;
}

function encoded(data: Json | undefined, mediaType: Json | undefined): EncodedFile | null {
  if (typeof data !== 'string' || typeof mediaType !== 'string') return null;
  return { data, mediaType: checkedMediaType(mediaType) };
}

export function decoded({ data, mediaType }: EncodedFile): AnsweredBytes {
  return { bytes: Buffer.from(data, 'base64'), mediaType };
}

/** The maximum of files of one answer. */
export const MAX_ANSWERED_FILES = 20;

/**
 * Stores a file that an answer is complete without.
 * @returns `null` if it can't be stored, which fails no call
 * @throws the error of an attempt that the end of the call has aborted
 */
export async function tryToKeep(file: EncodedFile, { keepFile, signal }: FileStorage): Promise<StoredFilePart | null> {
  try {
    return await keepFile(decoded(file));
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

/**
 * Stores the files that a result contains as MCP's parts, in a list or in the member `content`, as code and HTTP servers
 * pass them on. Without this, a picture would be text of Base64 for a model.
 * @returns the result with the parts of the stored files; what can't be stored stays as it is
 */
export async function storeEncodedFiles(result: Json, storage: FileStorage): Promise<Json> {
  if (isJsonList(result)) return await storeParts(result, storage);
  const content = isJsonObject(result) ? result['content'] : undefined;
  if (!isJsonObject(result) || !isJsonList(content)) return result;
  return { ...result, content: await storeParts(content, storage) };
}

async function storeParts(parts: readonly Json[], storage: FileStorage): Promise<readonly Json[]> {
  const stored: Json[] = [];
  let files = 0;
  for (const part of parts) {
    storage.signal.throwIfAborted();
    const file = isJsonObject(part) ? encodedFileIn(part) : null;
    const isKept = file !== null && isStorable(file) && files++ < MAX_ANSWERED_FILES;
    stored.push((isKept && (await tryToKeep(file, storage))) || part);
  }
  return stored;
}

/** True for Base64 of an allowed size, which its length shows. */
function isStorable({ data }: EncodedFile): boolean {
  return Buffer.byteLength(data, 'base64') <= MAX_ANSWERED_BYTES && BASE64.test(data);
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
