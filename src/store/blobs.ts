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
  /** @returns those blobs that there are, by id */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, Blob>>;
}

export function createBlobs(db: Kysely<Tables>): Blobs {
  const find: Blobs['find'] = async (ids) => {
    const rows = await db
      .selectFrom('blobs')
      .select(['id', 'metadata', 'data'])
      .where(sql<boolean>`id = any(${ids}::text[])`)
      .execute();
    return new Map(rows.map(({ id, metadata, data }) => [id, { metadata, data }]));
  };
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
    find,
    async get(ids) {
      const found = await find(ids);
      return ids.map((id) => {
        const blob = found.get(id);
        if (!blob) throw new RangeError(`There is no blob ${id}`);
        return blob;
      });
    },
  };
}
