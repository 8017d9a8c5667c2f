import { isContent, isFilePart, partsOf, sourceOf } from '../../../graph/definition/index.ts';
import type { FilePart } from '../../../graph/definition/index.ts';
import { isJsonObject, own, toItems } from '../../../graph/values/index.ts';
import type { Json } from '../../../graph/values/index.ts';
import type { Chunk } from './chunk.ts';
import type { Written } from './texts-in.ts';

/** Returns the files in the answers that a node of the run's own graph has written, in their order. */
export function filesIn({ update, path }: Written, answer: string | null): readonly Chunk[] {
  if (path !== undefined || answer === null) return [];
  return toItems(own(update, answer) ?? null)
    .flatMap(filesOf)
    .map(toChunk);
}

/** The files of a message of an assistant. */
function filesOf(message: Json): readonly FilePart[] {
  if (!isJsonObject(message) || message['role'] !== 'assistant') return [];
  const content = message['content'] ?? null;
  return isContent(content) ? partsOf(content).filter(isFilePart) : [];
}

/** A stored file has the address by which the API gives it. */
function toChunk(part: FilePart): Chunk {
  const source = sourceOf(part);
  const url = source.kind === 'url' ? source.url : `/api/blobs/${encodeURIComponent(source.id)}`;
  return { type: 'file', url, mediaType: part.mediaType };
}
