import statement from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { CHANNEL } from './changes.ts';
import type { RunChange } from './changes.ts';

/** An expression that tells all processes of a change when its transaction is committed. */
export function announceChange(change: RunChange): Sql {
  return statement`pg_notify(${CHANNEL}, ${JSON.stringify(change)})`;
}
