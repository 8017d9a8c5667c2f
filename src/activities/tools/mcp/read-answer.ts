import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { compileJsonSchema, isContainer, toJsonObject, toPointer } from '../../../graph/values/index.ts';
import type { Json, JsonObject } from '../../../graph/values/index.ts';
import type { FilePart } from '../../../graph/definition/index.ts';
import { MAX_BODY_BYTES } from '../../../network/read-body.ts';
import { CallError, REFUSED, UNCLEAR } from '../../calls/call-error.ts';
import { decoded, encodedFileIn, MAX_ANSWERED_FILES, tryToKeep } from '../../files/encoded-files.ts';
import type { EncodedFile } from '../../files/encoded-files.ts';
import { keepNeededFile } from '../../files/keep-file.ts';
import type { FileStorage } from '../../files/keep-file.ts';
import type { ToolCall } from '../tool.ts';
import type { ErrorMeaning } from './server-settings.ts';

/** What is known of the tool that has answered. */
interface AnsweringTool {
  /**
   * The tool's declared output schema; each answer must then contain structured content. `null` if none is declared.
   */
  readonly outputSchema: JsonObject | null;
  readonly errorMeans: ErrorMeaning;
  readonly call: FileStorage & Pick<ToolCall, 'attachFile'>;
}

/**
 * Converts a tool's answer to JSON: structured content as it is, texts joined, else the list of its parts. Pictures,
 * sounds and other bytes are stored as files; their parts are in the list, or in the member `files` of structured content.
 * Where that has no place for them, pictures and PDFs are attached to the call.
 * @throws CallError if the answer is an error, too large or has no structured content where the tool promises it
 */
export async function readMcpAnswer(result: CallToolResult, tool: AnsweringTool): Promise<Json> {
  if (result.isError === true) throw failedCall(result, tool.errorMeans);
  if (tool.outputSchema && !result.structuredContent)
    throw unusableAnswer('TOOL_FAILED', 'It has an output schema, but answered without such content');
  const text = result.structuredContent ? null : joinedText(result);
  requireSize(text ?? result.structuredContent ?? null);
  if (text !== null) return text === '' && result.content.length === 0 ? null : text;
  const value = result.structuredContent
    ? await readStructured(result.content, requireWhole(toJsonObject(result.structuredContent)), tool)
    : await readAnswerParts(result.content, tool);
  requireSize(value);
  return value;
}

type AnswerPart = CallToolResult['content'][number];

const fileIn = (part: AnswerPart): EncodedFile | null => encodedFileIn(toJsonObject(part));

/** Converts the parts of an answer, one after the other; bytes in Base64 become stored files. */
async function readAnswerParts(
  content: readonly AnswerPart[],
  { call }: AnsweringTool,
): Promise<readonly JsonObject[]> {
  const files = content.filter(fileIn).length;
  if (files > MAX_ANSWERED_FILES)
    throw unusableAnswer('PAYLOAD_TOO_LARGE', `The answer has ${files} files; ${MAX_ANSWERED_FILES} are allowed`);
  const parts: JsonObject[] = [];
  for (const part of content) {
    call.signal.throwIfAborted();
    const file = fileIn(part);
    parts.push(file ? await keepNeededFile(decoded(file), call) : toJsonObject(part));
  }
  return parts;
}

/** Stores files for models beside a result. */
async function attachFiles(content: readonly AnswerPart[], { call }: AnsweringTool): Promise<void> {
  const files = content.flatMap((part) => fileIn(part) ?? []).filter(({ mediaType }) => VISIBLE_TYPES.test(mediaType));
  for (const file of files.slice(0, MAX_ANSWERED_FILES)) {
    const kept = await tryToKeep(file, call);
    if (kept) call.attachFile(kept);
  }
}

const VISIBLE_TYPES = /^image\/|^application\/pdf$/;

/** True if structured content has a place for files: it has no member `files`, and its schema allows one. */
function mayHaveFiles(content: JsonObject, { outputSchema }: AnsweringTool): boolean {
  if (Object.hasOwn(content, 'files')) return false;
  const example = { type: 'image', blob: 'id', mediaType: 'image/png' };
  return outputSchema === null || compileJsonSchema(outputSchema)({ ...content, files: [example] }).length === 0;
}

/** Returns structured content with the files of the answer, if it has a place for them. */
async function readStructured(
  content: readonly AnswerPart[],
  structured: JsonObject,
  tool: AnsweringTool,
): Promise<JsonObject> {
  if (!content.some(fileIn)) return structured;
  if (mayHaveFiles(structured, tool))
    return { ...structured, files: (await readAnswerParts(content, tool)).filter(isStoredFilePart) };
  await attachFiles(content, tool);
  return structured;
}

function isStoredFilePart(part: JsonObject): part is FilePart {
  return typeof part['blob'] === 'string' && typeof part['mediaType'] === 'string';
}

function requireSize(value: unknown): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_BODY_BYTES)
    throw unusableAnswer('PAYLOAD_TOO_LARGE', `The answer takes ${bytes} bytes; ${MAX_BODY_BYTES} are allowed`);
}

/** A server also answers with an error if its code has thrown after the work. */
function failedCall(result: CallToolResult, errorMeans: ErrorMeaning): CallError {
  const message = `It answered with an error: ${(joinedText(result) ?? '').trim()}`;
  return new CallError('TOOL_FAILED', message, errorMeans === 'not-done' ? REFUSED : UNCLEAR);
}

/**
 * Refuses integers beyond 2^53 that use all digits of a double, because the protocol's parser has probably rounded them.
 * @throws CallError naming the first one
 */
function requireWhole(value: JsonObject): JsonObject {
  const path = findRoundedNumber(value, []);
  if (path === null) return value;
  const place = toPointer(path) || 'the top';
  throw unusableAnswer(
    'TOOL_FAILED',
    `The integer at ${place} has more digits than a JSON number keeps; the server must answer a text`,
  );
}

type Path = readonly (string | number)[];

function findRoundedNumber(value: Json, path: Path): Path | null {
  if (typeof value === 'number') return isRoundedNumber(value) ? path : null;
  if (!isContainer(value)) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = findRoundedNumber(inner, [...path, key]);
    if (found) return found;
  }
  return null;
}

function isRoundedNumber(value: number): boolean {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return false;
  const digits = String(value).replace(/e.*$/, '').replaceAll(/[-.]/g, '').replace(/0+$/, '');
  return digits.length >= DIGITS_OF_DOUBLE;
}

/** The significant digits from which on an integer was probably rounded. */
const DIGITS_OF_DOUBLE = 16;

/** The joined texts of an answer; `null` if it has other parts. */
function joinedText({ content }: CallToolResult): string | null {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === content.length ? texts.join('\n') : null;
}

function unusableAnswer(code: 'TOOL_FAILED' | 'PAYLOAD_TOO_LARGE', message: string): CallError {
  return new CallError(code, message, UNCLEAR);
}
