import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** A call of a model, and the text of its answer. */
export interface SaidText {
  readonly key: string;
  /** Empty if the call has no answer. A very long text is cut. */
  readonly text: string;
}

const MAX_CALLS = 1_000;
const MAX_CHARACTERS = 100_000;

/** Escapes in JSON that stand for no character of PostgreSQL: NUL, and halves of surrogate pairs. */
const NO_CHARACTER = String.raw`\\u(0000|d[89a-f][0-9a-f]{2})`;
const REPLACEMENT = String.raw`\\ufffd`;

/** The texts that models have answered in a run, in no order. What is no character of PostgreSQL is U+FFFD. */
export async function readSaidTexts(db: Kysely<Tables>, runId: string): Promise<readonly SaidText[]> {
  const { rows } = await sql<SaidText>`
    select key, coalesce(
      left(regexp_replace(result::text, ${NO_CHARACTER}, ${REPLACEMENT}, 'g')::json ->> 'text', ${MAX_CHARACTERS}),
      ''
    ) as text
    from ledger where run_id = ${runId} and called like 'model:%'
    limit ${MAX_CALLS}
  `.execute(db);
  return rows;
}
