import { mayReadFile } from '../../graph/run/index.ts';
import type { Principal } from '../../graph/run/index.ts';
import type { Store } from '../../store/store.ts';
import type { ReadBytes } from './check-media-type.ts';
import { fileError } from './file-error.ts';

/** A stored file that a run wants, and how much of it. */
export interface WantedFile {
  readonly id: string;
  readonly tenantId: string;
  /** Who has started the run. */
  readonly principal: Principal;
  readonly maxBytes: number;
}

/**
 * Reads a file of the run's tenant that the run's starter may read, which counts as a use of it.
 * @returns `null` if it is larger than wanted
 * @throws CallError `MODEL_FAILED` when there is none, or the starter may not read it
 */
export async function readStored(
  files: Pick<Store['files'], 'find' | 'read'>,
  { id, tenantId, principal, maxBytes }: WantedFile,
): Promise<ReadBytes | null> {
  const file = await files.find(tenantId, id);
  if (!file || !mayReadFile(file, principal))
    throw fileError('unknown_file', `There is no file ${id} that ${principal.sub}, who has started the run, may read`);
  if (file.size > maxBytes) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(id)) pieces.push(piece);
  return { bytes: Buffer.concat(pieces), contentType: file.contentType };
}
