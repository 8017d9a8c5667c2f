import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { SUMMARY_REQUEST, asksForSummary } from '../../graph/run/index.ts';
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

/** The text of an answer, and the id of the last message that its model was sent, if that may ask for a summary. */
interface Row extends SaidText {
  readonly asked: string | null;
}

/** The texts that models have answered in a run, without summaries, in no order. What is no character of PostgreSQL is U+FFFD. */
export async function readSaidTexts(db: Kysely<Tables>, runId: string): Promise<readonly SaidText[]> {
  const { rows } = await sql<Row>`
    select key,
      coalesce(left(${readable('result')} ->> 'text', ${MAX_CHARACTERS}), '') as text,
      case when position(${`"${SUMMARY_REQUEST}-`} in request::text) > 0
        then ${readable('request')} #>> '{messages,-1,id}'
      end as asked
    from ledger where run_id = ${runId} and called like 'model:%'
    limit ${MAX_CALLS}
  `.execute(db);
  return rows
    .filter(({ asked }) => asked === null || !asksForSummary({ messages: [{ id: asked }] }))
    .map(({ key, text }) => ({ key, text }));
}

function readable(column: 'result' | 'request'): RawBuilder<unknown> {
  return sql`regexp_replace(${sql.ref(column)}::text, ${NO_CHARACTER}, ${REPLACEMENT}, 'g')::json`;
}
