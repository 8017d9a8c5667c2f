import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { messageOf } from '../../graph/values/index.ts';
import { isDatabaseAway } from '../database/database-away.ts';
import type { Tables } from '../tables.ts';
import { IS_LIVE } from './memory.ts';
import type { EmbeddingVector } from './embedder.ts';
import type { MemoryKey } from './memory.ts';

/** An entry without a vector of the model. */
export interface UnembeddedEntry extends MemoryKey {
  readonly words: string;
}

/** The vectors of memory entries. A vector is deleted with its entry. */
export interface MemoryVectors {
  /** Creates the table if it is missing. @throws VectorsMissingError */
  prepare(): Promise<void>;
  /** Stores the vector of an entry if its words are unchanged; otherwise it has no effect. */
  keep(entry: UnembeddedEntry, model: string, vector: EmbeddingVector): Promise<void>;
  /** Claims entries without a vector of this model for a minute, those that have waited longest first. */
  claim(model: string, limit: number): Promise<readonly UnembeddedEntry[]>;
  /** Excludes an entry for an hour. */
  putOff(at: MemoryKey): Promise<void>;
}

/** The database can't store vectors. The message names the missing extension. */
export class VectorsMissingError extends Error {}

const TABLE = [
  // The lock keeps processes that start together from creating the table twice.
  `select pg_advisory_xact_lock(hashtext('memory_vectors'))`,
  `create extension if not exists vector`,
  `create table if not exists memory_vectors (
    tenant_id text not null,
    namespace text collate "C" not null,
    key text collate "C" not null,
    vector vector not null,
    primary key (tenant_id, namespace, key),
    foreign key (tenant_id, namespace, key) references memory on delete cascade
  )`,
] as const;

const CLAIMED_FOR = '1 minute';
const PUT_OFF_FOR = '1 hour';

/** @internal */
export function createMemoryVectors(db: Kysely<Tables>): MemoryVectors {
  return {
    prepare: async () => await prepareVectorTable(db),
    async keep({ tenantId, namespace, key, words }, model, vector) {
      await sql`
        with current as (
          update memory set embedded_by = ${model}
          where tenant_id = ${tenantId} and namespace = ${namespace} and key = ${key} and words = ${words}
          returning tenant_id, namespace, key
        )
        insert into memory_vectors (tenant_id, namespace, key, vector)
        select tenant_id, namespace, key, ${toSqlVector(vector)}::vector from current
        on conflict (tenant_id, namespace, key) do update set vector = excluded.vector
      `.execute(db);
    },
    async claim(model, limit) {
      const { rows } = await sql<UnembeddedEntry>`
        update memory set embed_after = now() + ${CLAIMED_FOR}::interval
        where (tenant_id, namespace, key) in (
          select tenant_id, namespace, key from memory
          where (embedded_by is null or embedded_by < ${model} or embedded_by > ${model})
            and embed_after <= now() and ${IS_LIVE}
          order by embed_after, tenant_id, namespace, key limit ${limit} for update skip locked
        )
        returning tenant_id as "tenantId", namespace, key, words
      `.execute(db);
      return rows;
    },
    async putOff({ tenantId, namespace, key }) {
      await sql`
        update memory set embed_after = now() + ${PUT_OFF_FOR}::interval
        where tenant_id = ${tenantId} and namespace = ${namespace} and key = ${key}
      `.execute(db);
    },
  };
}

async function prepareVectorTable(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('memory_vectors') is not null as "isThere"
  `.execute(db);
  if (rows[0]?.isThere) return;
  await db
    .transaction()
    .execute(async (transaction) => {
      for (const statement of TABLE) await sql.raw(statement).execute(transaction);
    })
    .catch((error: unknown) => {
      if (isDatabaseAway(error)) throw error;
      const message = `The database has no extension "vector" (pgvector), which memory is searched by meaning with: ${messageOf(error)}`;
      throw new VectorsMissingError(message, { cause: error });
    });
}

/** Formats a vector as pgvector's text. */
export function toSqlVector(vector: EmbeddingVector): string {
  return JSON.stringify(vector);
}
