import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { IN_BASE64, toBytes } from '../database/columns.ts';
import type { Tables } from '../tables.ts';

/** Identifies a piece of a workflow's blobs by the digest of its bytes. */
export interface PieceReference {
  readonly workflowId: string;
  readonly digest: string;
}

export interface Piece {
  readonly digest: string;
  readonly data: Uint8Array;
}

/** Stores pieces of large blobs. */
export interface BlobPieces {
  /** @returns the digests of the pieces that are not stored */
  missing(workflowId: string, digests: readonly string[]): Promise<readonly string[]>;
  /**
   * Stores the pieces that are not stored yet. Once this resolves, they survive the end of the process and a loss of
   * power.
   */
  put(workflowId: string, pieces: readonly Piece[]): Promise<void>;
  /** @returns `null` when the piece is missing */
  get(piece: PieceReference): Promise<Uint8Array | null>;
  /** Deletes all pieces of workflows. @param db the transaction that deletes their blobs */
  forget(db: Kysely<Tables>, workflowIds: readonly string[]): Promise<void>;
}

/** Stores pieces in a table. @param db a connection pool of its own, so that other statements do not wait for pieces */
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
