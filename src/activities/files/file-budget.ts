import { CallError } from '../calls/call-error.ts';
import { fileError } from './file-error.ts';

/** The bytes of one file. Providers take pictures of some megabytes. */
const MAX_FILE_BYTES = 10 * 1_048_576;
/** The bytes of all files of a prompt. They are sent in Base64, which takes a third more. */
const MAX_PROMPT_BYTES = 20 * 1_048_576;
const MAX_PROMPT_FILES = 50;

/** What the files of one prompt may still take. */
export interface FileBudget {
  /**
   * Counts a file before it is read.
   * @returns the most bytes that it may have
   * @throws CallError `MODEL_FAILED` for one file too many
   */
  open(): number;
  /** Counts the bytes that were read. */
  take(bytes: number): void;
  /** The error of a file that is larger than it may be. @param file as errors name it */
  tooLarge(file: string): CallError;
}

/** Opens the budget of a prompt's files. */
export function openFileBudget(): FileBudget {
  let files = 0;
  let left = MAX_PROMPT_BYTES;
  const most = (): number => Math.min(MAX_FILE_BYTES, left);
  return {
    open() {
      files += 1;
      if (files > MAX_PROMPT_FILES) throw fileError('too_many_files', `A prompt has at most ${MAX_PROMPT_FILES} files`);
      return most();
    },
    take(bytes) {
      left -= bytes;
    },
    tooLarge: (file) =>
      new CallError(
        'PAYLOAD_TOO_LARGE',
        `${file} is larger than ${most()} bytes: a file of a prompt may have ${MAX_FILE_BYTES}, all of them together ${MAX_PROMPT_BYTES}`,
        { retryable: false, done: 'no' },
      ),
  };
}
