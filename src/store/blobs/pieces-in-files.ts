import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../graph/values/index.ts';
import type { BlobPieces, PieceReference } from './blob-pieces.ts';

/** Stores pieces in files: each workflow has a folder inside `folder`, with one file for each piece. */
export function createPiecesInFiles(folder: string): BlobPieces {
  const folderOf = (workflowId: string): string => join(folder, toFileName(workflowId));
  const fileOf = ({ workflowId, digest }: PieceReference): string => join(folderOf(workflowId), digest);
  return {
    async missing(workflowId, digests) {
      const there = await Promise.all(digests.map(async (digest) => await exists(fileOf({ workflowId, digest }))));
      return digests.filter((_, at) => there[at] === false);
    },
    async put(workflowId, pieces) {
      for (const { digest, data } of pieces) await writeWhole(fileOf({ workflowId, digest }), data);
      for (const path of [folderOf(workflowId), folder, dirname(folder)]) await syncFolder(path);
    },
    get: async (piece) => await readFile(fileOf(piece)).catch(nullIfMissing),
    async forget(_transaction, workflowIds) {
      for (const id of workflowIds) await rm(folderOf(id), { recursive: true, force: true });
    },
  };
}

/** Workflow ids may be longer than file names are allowed to be and contain other characters, so the name is a hash. */
function toFileName(workflowId: string): string {
  return createHash('sha256').update(workflowId).digest('hex');
}

/** Writes a file atomically, even if the process or the machine stops at any time. */
async function writeWhole(path: string, data: Uint8Array): Promise<void> {
  const partial = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(partial, 'w', 0o600);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
}

/** Flushes a folder: the name of a new file is durable only after its folder was flushed. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await access(path).catch(nullIfMissing)) !== null;
}

function nullIfMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null;
  throw error;
}
