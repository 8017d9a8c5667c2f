import { isFilePart } from '../../graph/definition/index.ts';
import type { FilePart, Message } from '../../graph/definition/index.ts';
import type { GenerateContext, ModelRequest } from './model.ts';

/** The bytes of files, by the parts that name them. */
export type LoadedFiles = ReadonlyMap<FilePart, Uint8Array>;

/** A request with the files that go with it. */
export type LoadedRequest = ModelRequest & { readonly files: LoadedFiles };

/** The files that users show in some messages. */
export function filesIn(messages: readonly Message[]): readonly FilePart[] {
  return messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content !== 'string' ? content.filter(isFilePart) : [],
  );
}

/** Reads the files of the users' messages, one after the other, so that no more than their sum is held. @throws CallError */
export async function loadFiles(
  messages: readonly Message[],
  readFile: GenerateContext['readFile'],
): Promise<LoadedFiles> {
  const files = new Map<FilePart, Uint8Array>();
  for (const part of filesIn(messages)) files.set(part, await readFile(part));
  return files;
}
