import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { messageOf } from '../../graph/values/index.ts';
import { isDatabaseAway } from '../database/database-away.ts';
import type { Tables } from '../tables.ts';
import { IS_LIVE } from './memory.ts';
import type { MemoryKey } from './memory.ts';

/** An entry that has no vector of a model. */
export interface UnembeddedEntry extends MemoryKey {
  readonly words: string;
}

/** What entries mean to a model. A vector goes with its entry. */
export interface MemoryVectors {
  /** Makes the table where it is not there. @throws VectorsMissingError */
  prepare(): Promise<void>;
  /** Keeps the vector of an entry that still has these words; otherwise it changes nothing. */
  keep(entry: UnembeddedEntry, model: string, vector: Vector): Promise<void>;
  /** Takes entries without a vector of this model, those that wait longest first; others get them again after a minute. */
  claim(model: string, limit: number): Promise<readonly UnembeddedEntry[]>;
  /** Leaves an entry alone for an hour. */
  putOff(at: MemoryKey): Promise<void>;
}

/** The database can't hold vectors. The message says what it lacks. */
export class VectorsMissingError extends Error {}

const TABLE = [
  // Processes that start together would make it twice.
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
    keep: async (entry, model, vector) => await keep(db, entry, { model, vector }),
    claim: async (model, limit) => await claim(db, model, limit),
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

async function keep(
  db: Kysely<Tables>,
  { tenantId, namespace, key, words }: UnembeddedEntry,
  { model, vector }: { readonly model: string; readonly vector: Vector },
): Promise<void> {
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
}

async function claim(db: Kysely<Tables>, model: string, limit: number): Promise<readonly UnembeddedEntry[]> {
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
}

/** Writes a vector as pgvector reads it. */
export function toSqlVector(vector: Vector): string {
  return JSON.stringify(vector);
}

/** A model that makes vectors of texts: those of texts that mean alike point alike. */
export interface Embedder {
  /** Names the model and the length of its vectors. Only vectors of one name can be compared. */
  readonly name: string;
  /** What is less like a query is not found by it: a cosine, from -1 to 1. */
  readonly minSimilarity: number;
  /**
   * Makes a vector of each text, in their order.
   * @param texts at most `MAX_TEXTS` of them
   * @throws TextsRefusedError if these texts are at fault; VectorsUnusableError if the setting is; another error if it may
   *   work later
   */
  embed(texts: readonly string[]): Promise<readonly Vector[]>;
}

export type Vector = readonly number[];

/** The model takes none of these texts, or one of them is too much for it. */
export class TextsRefusedError extends Error {}

/** The model answers what can't be kept, such as vectors of another length: the next answer costs as much, and is the same. */
export class VectorsUnusableError extends Error {}

/** The most texts of one request. */
export const MAX_TEXTS = 32;

/** The most of a text that a model reads. No tokenizer makes more tokens than bytes, and most models take 8,191 tokens. */
export const MAX_TEXT_BYTES = 8_000;

/** Cuts a text to what a model reads, between two characters. */
export function toEmbeddedText(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_TEXT_BYTES));
  return new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true });
}
