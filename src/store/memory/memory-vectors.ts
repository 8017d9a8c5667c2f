import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { messageOf } from '../../graph/values/index.ts';
import { isDatabaseAway } from '../database/database-away.ts';
import type { Tables } from '../tables.ts';
import { IS_LIVE } from './memory.ts';
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
  keep(entry: UnembeddedEntry, model: string, vector: Vector): Promise<void>;
  /** Claims entries without a vector of this model for a minute, those that have waited longest first. */
  claim(model: string, limit: number): Promise<readonly UnembeddedEntry[]>;
  /** Excludes an entry for an hour. */
  putOff(at: MemoryKey): Promise<void>;
}

/** The database can't store vectors. The message names what is missing. */
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

export function createMemoryVectors(db: Kysely<Tables>): MemoryVectors {
  return {
    prepare: async () => await prepare(db),
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

async function prepare(db: Kysely<Tables>): Promise<void> {
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
export function toSqlVector(vector: Vector): string {
  return JSON.stringify(vector);
}

/** An embedding model: texts with a similar meaning get similar vectors. */
export interface Embedder {
  /** Identifies the model and the length of its vectors. Only vectors with the same name are comparable. */
  readonly name: string;
  /** The least cosine similarity of a result to a query, from -1 to 1. */
  readonly minSimilarity: number;
  /**
   * Embeds texts.
   * @param texts at most `MAX_TEXTS` texts
   * @returns one vector for each text, in order
   * @throws TextsRefusedError if the texts are the cause; VectorsUnusableError if the configuration is; another error
   * if a later attempt may succeed
   */
  embed(texts: readonly string[]): Promise<readonly Vector[]>;
}

export type Vector = readonly number[];

/** The model accepts none of these texts, or one of them exceeds its limits. */
export class TextsRefusedError extends Error {}

/**
 * The model's vectors can't be stored, for example because of their length. Repeating the request would cost as much
 * and return the same.
 */
export class VectorsUnusableError extends Error {}

/** The most texts of one request. */
export const MAX_TEXTS = 32;

/**
 * The most bytes of a text that are sent to a model. A text never has more tokens than bytes, and most models accept
 * 8,191 tokens.
 */
export const MAX_TEXT_BYTES = 8_000;

/** Truncates a text to what a model accepts, between two characters. */
export function toEmbeddedText(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_TEXT_BYTES));
  return new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true });
}
