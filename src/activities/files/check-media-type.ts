import { sourceOfFile } from '../../graph/definition/index.ts';
import type { FilePart } from '../../graph/definition/index.ts';
import { mediaTypeOf } from '../../graph/values/index.ts';
import { CallError } from '../calls/call-error.ts';

/** A file that was read. */
export interface ReadBytes {
  readonly bytes: Uint8Array;
  /** The media type that its source states; `null` without one. */
  readonly contentType: string | null;
}

/**
 * Checks that a file has the media type of its message: by the type that its source states, and by its first bytes.
 * @throws CallError `MODEL_FAILED`
 */
export function checkMediaType(part: FilePart, { bytes, contentType }: ReadBytes): void {
  const declared = canonicalMediaType(part.mediaType);
  const stated = canonicalMediaType(contentType ?? '');
  const detected = SIGNATURES.find(({ matches }) => matches(bytes))?.mediaType ?? null;
  const isKnown = SIGNATURES.some(({ mediaType }) => mediaType === declared);
  const found = !UNSPECIFIC.has(stated) && stated !== declared ? stated : detected;
  if (found === declared || (found === null && !isKnown)) return;
  const what = found === null ? 'its bytes are something else' : `it is ${found}`;
  throw fileError('wrong_media_type', `${nameOfFile(part)} is said to be ${declared}, and ${what}`);
}

/** Types that sources state for files of unknown types. */
const UNSPECIFIC: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** A media type in lower case, without parameters (RFC 9110, section 8.3.1), and by its registered name. */
export function canonicalMediaType(mediaType: string): string {
  const essence = mediaTypeOf(mediaType);
  return essence === 'image/jpg' ? 'image/jpeg' : essence;
}

interface Signature {
  readonly mediaType: string;
  readonly matches: (bytes: Uint8Array) => boolean;
}

const hasAt =
  (offset: number, text: string) =>
  (bytes: Uint8Array): boolean =>
    headerOf(bytes).startsWith(text, offset);

/** Readers of PDF search for its header up to this offset. */
const HEADER_BYTES = 1_024;

/** The first bytes, each converted to a character. */
function headerOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEADER_BYTES)).toString('latin1');
}

/** The first bytes of types that most providers accept (MIME Sniffing standard, section 6.1). */
const SIGNATURES: readonly Signature[] = [
  { mediaType: 'image/png', matches: hasAt(0, '\x89PNG\r\n\x1A\n') },
  { mediaType: 'image/jpeg', matches: hasAt(0, '\xFF\xD8\xFF') },
  { mediaType: 'image/gif', matches: hasAt(0, 'GIF8') },
  { mediaType: 'image/webp', matches: (bytes) => hasAt(0, 'RIFF')(bytes) && hasAt(8, 'WEBP')(bytes) },
  { mediaType: 'application/pdf', matches: (bytes) => headerOf(bytes).includes('%PDF-') },
];

/** The reason why a file of a message can't be sent to a model: the `cause.code` of the error. */
export type FileFault = 'unknown_file' | 'wrong_media_type' | 'too_many_files';

/** The error of a file for which retries are useless: the model was not called. */
export function fileError(reason: FileFault, message: string): CallError {
  return new CallError('MODEL_FAILED', message, { retryable: false, done: 'no', reason });
}

/** Names a file in an error. Of a URL it includes only the host, because the rest may contain a secret. */
export function nameOfFile(part: FilePart): string {
  const source = sourceOfFile(part);
  if (source.kind === 'blob') return `The file ${source.id}`;
  return URL.canParse(source.url) ? `The file at ${new URL(source.url).host}` : 'The file at an address that is no URL';
}
