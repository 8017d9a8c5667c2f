import type { FilePart } from '../../graph/definition/index.ts';
import { sourceOf } from '../../graph/definition/index.ts';
import { CallError } from '../calls/call-error.ts';

/** Why a file of a message can't go to a model, as `cause.code` says it. */
export type FileFault = 'unknown_file' | 'wrong_media_type' | 'too_many_files';

/** The error of a file that no retry can cure: the model was not asked. */
export function fileError(reason: FileFault, message: string): CallError {
  return new CallError('MODEL_FAILED', message, { retryable: false, done: 'no', reason });
}

/** Names a file in an error. Of an address only the host is told: the rest may hold a secret. */
export function nameOfFile(part: FilePart): string {
  const source = sourceOf(part);
  if (source.kind === 'blob') return `The file ${source.id}`;
  return URL.canParse(source.url) ? `The file at ${new URL(source.url).host}` : 'The file at an address that is no URL';
}
