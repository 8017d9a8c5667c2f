import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { IN_BASE64, toBytes } from '../database/columns.ts';
import type { Tables } from '../tables.ts';
import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../../graph/values/index.ts';

/** Identifies a piece of a workflow's blobs by the digest of its bytes. */
export interface PieceReference {
  readonly workflowId: string;
  readonly digest: string;
}

export interface BlobPiece {
  readonly digest: string;
  readonly data: Uint8Array;
}

/** Stores pieces of large blobs. @internal */
export interface BlobPieces {
  /** @returns the digests of the pieces that are not stored */
  missing(workflowId: string, digests: readonly string[]): Promise<readonly string[]>;
  /**
   * Stores the pieces that are not stored yet. Once this resolves, they survive the end of the process and a loss of
   * power.
   */
  put(workflowId: string, pieces: readonly BlobPiece[]): Promise<void>;
  /** @returns `null` when the piece is missing */
  get(piece: PieceReference): Promise<Uint8Array | null>;
  /** Deletes all pieces of workflows. @param db the transaction that deletes their blobs */
  forget(db: Kysely<Tables>, workflowIds: readonly string[]): Promise<void>;
}

/**
 * Stores pieces in a table. @param db a connection pool of its own, so that other statements do not wait for pieces
 * @internal
 */
export function createPiecesInTable(db: Kysely<Tables>): BlobPieces {
  return {
    async missing(workflowId, digests) {
      const rows = db.selectFrom('blob_pieces').select('digest').where('workflow_id', '=', workflowId);
      const found = await rows.where(sql<boolean>`digest = any(${digests}::text[])`).execute();
      const there = new Set(found.map(({ digest }) => digest));
      return digests.filter((digest) => !there.has(digest));
    },
    async put(workflowId, pieces) {
      await db
        .insertInto('blob_pieces')
        .values(pieces.map(({ digest, data }) => ({ workflow_id: workflowId, digest, data: toBytes(data) })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async get({ workflowId, digest }) {
      const rows = db.selectFrom('blob_pieces').select(IN_BASE64).where('workflow_id', '=', workflowId);
      const row = await rows.where('digest', '=', digest).executeTakeFirst();
      return row ? Buffer.from(row.data, 'base64') : null;
    },
    async forget(transaction, workflowIds) {
      await sql`delete from blob_pieces where workflow_id = any(${workflowIds}::text[])`.execute(transaction);
    },
  };
}

/** Stores pieces in files: each workflow has a folder inside `folder`, with one file for each piece. */
export function createPiecesInFiles(folder: string): BlobPieces {
  const folderOf = (workflowId: string): string => join(folder, toFileName(workflowId));
  const fileOf = ({ workflowId, digest }: PieceReference): string => join(folderOf(workflowId), digest);
  return {
    async missing(workflowId, digests) {
      const there = await Promise.all(digests.map(async (digest) => await fileExists(fileOf({ workflowId, digest }))));
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

async function fileExists(path: string): Promise<boolean> {
  return (await access(path).catch(nullIfMissing)) !== null;
}

function nullIfMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null;
  throw error;
}
