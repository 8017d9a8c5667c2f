import { answeredFilesOf, filesForModels } from '../../graph/definition/index.ts';
import type { FilePart, Message } from '../../graph/definition/index.ts';
import { CallError } from '../calls/call-error.ts';
import { canonicalMediaType } from '../files/check-media-type.ts';
import type { GenerateContext, ModelRequest } from './model.ts';

/**
 * A file of a prompt: its bytes, or a text in its place. Only files of tools have one: nobody has chosen them for the
 * model, so they must not fail its call.
 */
export type LoadedFile =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'stand-in'; readonly text: string };

/** The files of a prompt, by the parts that name them. */
export type LoadedFiles = ReadonlyMap<FilePart, LoadedFile>;

/** A request with the files that go with it. */
export type LoadedRequest = ModelRequest & { readonly files: LoadedFiles };

/** The files of tools that the models of a provider take. */
export interface AcceptedFiles {
  readonly mediaTypes: ReadonlySet<string>;
  /** The maximum size of a picture. */
  readonly maxImageBytes: number;
}

/** The files that a prompt shows: those in users' messages, and those that tools have answered. */
export function filesIn(messages: readonly Message[]): readonly FilePart[] {
  return messages.flatMap(filesForModels);
}

/**
 * Reads the files of a prompt sequentially, so that the total limit holds: first those of users, then those of tools,
 * the latest first.
 * @throws CallError for a file of a user that can't be read
 */
export async function loadFiles(
  messages: readonly Message[],
  readFile: GenerateContext['readFile'],
  accepted: AcceptedFiles,
): Promise<LoadedFiles> {
  const files = new Map<FilePart, LoadedFile>();
  const ofTools = messages.flatMap(answeredFilesOf);
  const isOfTool = new Set<FilePart>(ofTools);
  for (const part of filesIn(messages))
    if (!isOfTool.has(part)) files.set(part, { kind: 'bytes', bytes: await readFile(part) });
  for (const part of ofTools.toReversed()) files.set(part, await loadAnswered(part, readFile, accepted));
  return files;
}

async function loadAnswered(
  part: FilePart,
  readFile: GenerateContext['readFile'],
  { mediaTypes, maxImageBytes }: AcceptedFiles,
): Promise<LoadedFile> {
  const mediaType = canonicalMediaType(part.mediaType);
  if (!mediaTypes.has(mediaType)) return standIn(part, NOT_TAKEN);
  try {
    const bytes = await readFile(part);
    const isTooLarge = mediaType.startsWith('image/') && bytes.byteLength > maxImageBytes;
    return isTooLarge ? standIn(part, TOO_LARGE, bytes.byteLength) : { kind: 'bytes', bytes };
  } catch (error) {
    if (!(error instanceof CallError) || error.retryable) throw error;
    return standIn(part, PROBLEMS.get(error.reason ?? error.code) ?? 'it can not be read');
  }
}

const NOT_TAKEN = 'the model does not take it';
const TOO_LARGE = 'it is too large';

/** Why a file is not shown, by the reason or the code of the error. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['unknown_file', 'it is not available'],
  ['wrong_media_type', 'its bytes are of another type'],
  ['too_many_files', 'there are too many files'],
  ['PAYLOAD_TOO_LARGE', TOO_LARGE],
]);

function standIn({ mediaType }: FilePart, problem: string, size?: number): LoadedFile {
  const kilobytes = size === undefined ? '' : `, ${Math.ceil(size / 1_000)} kB`;
  return { kind: 'stand-in', text: `[${mediaType}${kilobytes}, not shown: ${problem}]` };
}

/**
 * Replaces the files of tools by texts, for a model that has refused a request with them.
 * @returns `null` if the request shows no such file
 */
export function withoutAnsweredFiles(request: LoadedRequest): LoadedRequest | null {
  const files = new Map(request.files);
  let isChanged = false;
  for (const part of request.messages.flatMap(answeredFilesOf)) {
    const file = files.get(part);
    if (file?.kind !== 'bytes') continue;
    files.set(part, standIn(part, NOT_TAKEN, file.bytes.byteLength));
    isChanged = true;
  }
  return isChanged ? { ...request, files } : null;
}
