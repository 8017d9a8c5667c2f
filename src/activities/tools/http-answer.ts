import {
  allowsText,
  checkedMediaType,
  JsonLossError,
  mediaTypeOf,
  parseOutsideJson,
} from '../../graph/values/index.ts';
import type { Json, JsonSchema } from '../../graph/values/index.ts';
import { decodeText, MAX_BODY_BYTES } from '../../network/read-body.ts';
import type { HttpResponse } from '../../network/guarded-request.ts';
import { CallError } from '../calls/call-error.ts';
import { fromStatus } from '../calls/classify-failure.ts';
import { keepNeededFile, MAX_ANSWERED_BYTES, toFileResult } from '../files/keep-file.ts';
import type { FileStorage } from '../files/keep-file.ts';

/** What reads the answers of a tool. */
interface AnswerReader {
  /** The tool's name in errors. */
  readonly name: string;
  /** The schema of the result; absent if the tool declares none. */
  readonly result?: JsonSchema | undefined;
  /** Stores an answer that is neither JSON nor text. */
  readonly storage: FileStorage;
}

/**
 * Reads the result of an HTTP tool: JSON as it is, another text as `{ text }`, other bytes as `{ file, size }`, a stored
 * file; nothing as `null`.
 * @throws CallError for a status other than 2xx, or a body that can't be read
 */
export async function readHttpAnswer(answer: HttpResponse, { name, result, storage }: AnswerReader): Promise<Json> {
  const { status, headers } = answer;
  if (status < 200 || status > 299) {
    // The status of a failure is enough, so its body may be unreadable.
    const message = `${name} answered ${status}: ${await answer.readText().catch(() => '')}`;
    throw fromStatus({ code: 'TOOL_FAILED', callee: 'tool', status, headers, message });
  }
  const contentType = headers.get('content-type') ?? '';
  if (isTextType(contentType)) {
    const text = await answer.readText();
    if (text === '') return null;
    return JSON_CONTENT_TYPE.test(contentType) ? readJsonAnswer(name, text, result) : { text };
  }
  const bytes = await answer.readBytes(MAX_ANSWERED_BYTES);
  if (bytes.byteLength === 0) return null;
  if (isUndeclaredText(bytes, contentType)) return { text: decodeText(bytes, contentType) };
  const file = { bytes, mediaType: checkedMediaType(contentType) };
  return toFileResult(await keepNeededFile(file, storage), bytes.byteLength);
}

const JSON_CONTENT_TYPE = /[/+]json\s*(?:;|$)/i;

/** Media types whose content is always text. */
const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|json-seq|x-www-form-urlencoded)$/;
/** Media types whose content is never text. */
const BINARY_TYPE = /^(?:image|audio|video|font|model)\/|^application\/(?:pdf|zip|gzip|x-tar|wasm|vnd\.)/;

/** True for an answer that states a text, or no type at all. */
function isTextType(contentType: string): boolean {
  const mediaType = mediaTypeOf(contentType);
  return mediaType === '' || TEXT_TYPE.test(mediaType);
}

/** True for UTF-8 text that fits into a result, although its media type does not say that it is text. */
function isUndeclaredText(bytes: Uint8Array, contentType: string): boolean {
  return bytes.byteLength <= MAX_BODY_BYTES && !BINARY_TYPE.test(mediaTypeOf(contentType)) && isUtf8(bytes);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0');
  } catch {
    return false;
  }
}

/** An integer beyond 2^53 is kept as a text where the schema of the result wants a text. */
function readJsonAnswer(name: string, text: string, result: JsonSchema = true): Json {
  try {
    return parseOutsideJson(text, (path) => allowsText(result, path));
  } catch (error) {
    const problem =
      error instanceof JsonLossError
        ? `${error.message}; a text is kept there if the tool's "result" says { "type": "string" }`
        : 'the body is no JSON';
    throw new CallError('TOOL_FAILED', `${name} answered with a JSON content type, but ${problem}`, {
      retryable: false,
      done: 'perhaps',
      cause: error,
    });
  }
}
