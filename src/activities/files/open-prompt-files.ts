import { sourceOfFile } from '../../graph/definition/index.ts';
import { mayReadFile } from '../../graph/run/index.ts';
import type { Principal, ModelCallRequest } from '../../graph/run/index.ts';
import type { Store } from '../../store/store.ts';
import { followRedirects } from '../../network/follow-redirects.ts';
import type { GuardedRequest } from '../../network/guarded-request.ts';
import type { GenerateContext } from '../models/model.ts';
import { checkMediaType, nameOfFile, fileError } from './check-media-type.ts';
import type { ReadBytes } from './check-media-type.ts';
import { CallError, REFUSED } from '../calls/call-error.ts';
import { inCallSlot } from '../calls/call-admission.ts';
import type { CallSlots } from '../calls/call-admission.ts';
import type { CallTask } from '../calls/call-task.ts';
import { filesIn } from '../models/load-files.ts';
import { fromNetwork, fromStatus } from '../calls/classify-failure.ts';

/** The call whose messages contain files. */
export interface PromptOfFiles {
  readonly tenantId: string;
  /** The principal of the run, who must be allowed to read its files. */
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/** Opens the files of one prompt, which share a budget. Files are read on request only. */
export type OpenPromptFiles = (call: PromptOfFiles) => GenerateContext['readFile'];

interface PromptFilesDeps {
  readonly files: Pick<Store['files'], 'find' | 'read'>;
  /** Sends requests through a guard that blocks private hosts. */
  readonly request: GuardedRequest;
}

/** Creates the reader of prompt files: stored ones, and those at public addresses. */
export function createOpenPromptFiles({ files, request }: PromptFilesDeps): OpenPromptFiles {
  return ({ tenantId, principal, signal }) => {
    const budget = openFileBudget();
    return async (part) => {
      const maxBytes = budget.open();
      const source = sourceOfFile(part);
      const name = nameOfFile(part);
      const read =
        source.kind === 'blob'
          ? await readStored(files, { id: source.id, tenantId, principal, maxBytes })
          : await readLinked(request, { url: source.url, name, maxBytes, signal });
      if (!read) throw budget.tooLarge(name);
      budget.take(read.bytes.byteLength);
      checkMediaType(part, read);
      return read.bytes;
    };
  };
}

/** The maximum size of one file. Providers accept pictures of some megabytes. */
const MAX_FILE_BYTES = 10 * 1_048_576;
/** The maximum size of all files of a prompt. They are sent in Base64, which is a third larger. */
const MAX_PROMPT_BYTES = 20 * 1_048_576;
const MAX_PROMPT_FILES = 50;

/** The budget of the files of one prompt. */
export interface FileBudget {
  /**
   * Counts a file before it is read.
   * @returns its maximum size in bytes
   * @throws CallError `MODEL_FAILED` when the prompt has too many files
   */
  open(): number;
  /** Counts the bytes that were read. */
  take(bytes: number): void;
  /** The error of a file that is too large. @param file its name in errors */
  tooLarge(file: string): CallError;
}

/** Opens the budget of a prompt's files. */
function openFileBudget(): FileBudget {
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
        REFUSED,
      ),
  };
}

/**
 * Makes a model's call; one whose prompt has files also takes a file slot, because the process holds the files in
 * memory.
 * @throws ApplicationFailure `BUSY`, which the server retries
 */
export async function inFileSlot<T>(
  slots: CallSlots,
  store: Store,
  task: CallTask<ModelCallRequest>,
  call: () => Promise<T>,
): Promise<T> {
  const hasFiles = filesIn(task.request.messages).length > 0;
  return hasFiles ? await inCallSlot(slots, store, task, call) : await call();
}

/** A file at a URL in a message. */
export interface LinkedFileRequest {
  readonly url: string;
  /** The name in errors. */
  readonly name: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The time limit for reading a linked file. */
const FETCH_MS = 30_000;

/**
 * Reads a file from a URL through the guard, following redirects.
 * @returns `null` if it has more than `maxBytes`
 * @throws CallError `BLOCKED_URL` for an address that the guard refuses; `MODEL_FAILED` when it can't be read
 */
async function readLinked(
  request: GuardedRequest,
  { url, name, maxBytes, signal }: LinkedFileRequest,
): Promise<ReadBytes | null> {
  if (!URL.canParse(url)) throw new CallError('BLOCKED_URL', `${name} can't be read`, REFUSED);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const file = { url: new URL(url), method: 'GET', headers: { accept: '*/*' }, body: null, signal: limited };
  try {
    return await followRedirects(request, file, async (answer) => {
      const { status, headers } = answer;
      if (status < 200 || status > 299) {
        answer.discard();
        throw fromStatus({
          code: 'MODEL_FAILED',
          callee: 'tool',
          status,
          headers,
          message: `${name} was not given: ${status}`,
        });
      }
      return { bytes: await answer.readBytes(maxBytes), contentType: headers.get('content-type') };
    });
  } catch (thrown) {
    const error = fromNetwork('TOOL_FAILED', thrown);
    if (error.code === 'PAYLOAD_TOO_LARGE') return null;
    throw error.code === 'TOOL_FAILED' ? asModelFailure(name, error) : error;
  }
}

/** Redirects and connections fail like those of tools. The model was not called. */
function asModelFailure(name: string, { message, retryable }: CallError): CallError {
  return new CallError('MODEL_FAILED', `${name} can't be read: ${message}`, { retryable, done: 'no' });
}

/** A request of a run for a stored file. */
export interface StoredFileRequest {
  readonly id: string;
  readonly tenantId: string;
  /** The starter of the run. */
  readonly principal: Principal;
  readonly maxBytes: number;
}

/**
 * Reads a file of the run's tenant that the run's starter may read, and records this as a use of the file.
 * @returns `null` if it has more than `maxBytes`
 * @throws CallError `MODEL_FAILED` when the file does not exist, or the starter may not read it
 */
async function readStored(
  files: Pick<Store['files'], 'find' | 'read'>,
  { id, tenantId, principal, maxBytes }: StoredFileRequest,
): Promise<ReadBytes | null> {
  const file = await files.find(tenantId, id);
  if (!file || !mayReadFile(file.by, principal))
    throw fileError('unknown_file', `There is no file ${id} that ${principal.sub}, who has started the run, may read`);
  if (file.size > maxBytes) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(id)) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), contentType: file.contentType };
}
