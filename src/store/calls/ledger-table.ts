import type { ColumnType } from 'kysely';
import type { TaskFailure } from '../../graph/values/index.ts';
import type { OptionalPayload, OptionalTime, Time } from '../database/columns.ts';

/**
 * What is known of calls, by their keys. A call that was made in a local activity has no row. Any other call, also one that
 * a local activity has left to an activity, has one from its first claim on. An attempt without a claim writes it when it
 * ends.
 */
export interface LedgerTable {
  key: string;
  tenant_id: string;
  run_id: string;
  node: string;
  /** The element of a `forEach` that the call is made for. */
  element: number | null;
  called: string;
  request_hash: string;
  /** What was sent, for people; it is cut. */
  request: OptionalPayload;
  status: 'claimed' | 'retrying' | 'completed' | 'failed' | 'unknown';
  /** Goes up when a person orders the call again. */
  takeover: number;
  /** The attempt that holds the claim; a late one can't overwrite it. */
  claim: string;
  /** The time when Temporal scheduled that attempt. */
  scheduled_at: Time;
  failures: number;
  /** The failed attempts, oldest first, each as the text of a `FailedAttempt`. */
  attempts: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>;
  result: OptionalPayload;
  failure: OptionalPayload<TaskFailure>;
  next_attempt_at: OptionalTime;
  claimed_at: Time;
  updated_at: Time;
}
