import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** A payload as Temporal gives it to a storage driver. */
export interface Blob {
  /** Says how to read the data; values are in base64. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

export interface NewBlob extends Blob {
  readonly id: string;
  /** The workflow whose history refers to the blob. */
  readonly workflowId: string;
}

export interface Blobs {
  /** Stores blobs; an existing blob stays as it is. */
  put(blobs: readonly NewBlob[]): Promise<void>;
  /** @returns the blobs in the order of their ids @throws RangeError when a blob is missing */
  get(ids: readonly string[]): Promise<readonly Blob[]>;
}

export function createBlobs(db: Kysely<Tables>): Blobs {
  return {
    async put(blobs) {
      const created_at = new Date().toISOString();
      const rows = blobs.map(({ id, workflowId, metadata, data }) => ({
        id,
        workflow_id: workflowId,
        metadata: JSON.stringify(metadata),
        data,
        created_at,
      }));
      await db
        .insertInto('blobs')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async get(ids) {
      const rows = await db
        .selectFrom('blobs')
        .select(['id', 'metadata', 'data'])
        .where(sql<boolean>`id = any(${ids}::text[])`)
        .execute();
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = byId.get(id);
        if (!row) throw new RangeError(`There is no blob ${id}`);
        return { metadata: row.metadata, data: row.data };
      });
    },
  };
}
