import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { CHANNEL } from './changes.ts';
import type { RunChange } from './changes.ts';

/** An expression that tells all processes of a change when its transaction is committed. */
export function announceChange(change: RunChange): RawBuilder<unknown> {
  return sql`pg_notify(${CHANNEL}, ${JSON.stringify(change)})`;
}
