import { isStoredFile } from '../../definition/message.ts';
import type { StoredFilePart } from '../../definition/message.ts';
import { isJsonObject, toItems } from '../../values/json.ts';
import type { Json } from '../../values/json.ts';

/** The maximum of files of one result that a model is shown; later ones remain in the text of the result. */
const MAX_VISIBLE_FILES = 20;

/**
 * Returns the images and PDFs in a tool's result, for models: stored-file parts in a list, or in the members `file`,
 * `files`, `content`.
 * @param beside files that the tool attached outside its result
 */
export function filesInResult(result: Json, beside: readonly StoredFilePart[] = []): readonly StoredFilePart[] {
  const members = isJsonObject(result) ? MEMBERS.map((name) => result[name] ?? null) : [];
  const files = [result, ...members, beside]
    .flatMap(toItems)
    .filter(isStoredFile)
    .filter(({ mediaType }) => VISIBLE_TYPES.test(mediaType))
    .map(({ type, blob, mediaType, name }) => ({ type, blob, mediaType, ...(name !== undefined && { name }) }));
  return [...new Map(files.map((file) => [file.blob, file])).values()].slice(0, MAX_VISIBLE_FILES);
}

const MEMBERS: readonly string[] = ['file', 'files', 'content'];
const VISIBLE_TYPES = /^image\/|^application\/pdf$/i;
