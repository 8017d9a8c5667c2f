import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../../../graph/values/index.ts';
import { toJson } from '../../../graph/values/index.ts';
import { CallError } from '../../calls/call-error.ts';
import { REFUSED, UNCLEAR } from '../../calls/classify-failure.ts';
import { MAX_BODY_BYTES } from '../../http/read-body.ts';
import type { ErrorMeaning } from './server-settings.ts';

interface Answer {
  /** The tool has an output schema, and must answer with structured content. */
  readonly isStructured: boolean;
  readonly errorMeans: ErrorMeaning;
  readonly result: CallToolResult;
}

/**
 * Converts a tool's answer to JSON: structured content as it is, texts joined, else the list of its parts.
 * @throws CallError if the answer is an error, too large or has no structured content where the tool promises it
 */
export function toJsonResult({ isStructured, errorMeans, result }: Answer): Json {
  if (result.isError === true) throw failed(result, errorMeans);
  const value = readValue(result);
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > MAX_BODY_BYTES)
    throw broken('PAYLOAD_TOO_LARGE', `The answer takes ${bytes} bytes; ${MAX_BODY_BYTES} are allowed`);
  if (isStructured && !result.structuredContent)
    throw broken('TOOL_FAILED', 'It has an output schema, but answered without such content');
  return value;
}

/** A server also answers with an error if its code has thrown after the work. */
function failed(result: CallToolResult, errorMeans: ErrorMeaning): CallError {
  const message = `It answered with an error: ${(textOf(result) ?? '').trim()}`;
  return new CallError('TOOL_FAILED', message, errorMeans === 'not-done' ? REFUSED : UNCLEAR);
}

function readValue(result: CallToolResult): Json {
  if (result.structuredContent) return toJson(result.structuredContent);
  if (result.content.length === 0) return null;
  return textOf(result) ?? toJson(result.content);
}

/** The joined texts of an answer; `null` if it has other parts. */
function textOf({ content }: CallToolResult): string | null {
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === content.length ? texts.join('\n') : null;
}

function broken(code: 'TOOL_FAILED' | 'PAYLOAD_TOO_LARGE', message: string): CallError {
  return new CallError(code, message, UNCLEAR);
}
