import type { Generated } from 'kysely';
import type { OptionalTime, Time } from '../database/columns.ts';

/** One-time keys for streams of runs. */
export interface StreamTicketsTable {
  /** A hash of the ticket, which itself is not kept. */
  hash: string;
  /** The tenant of the run. */
  tenant_id: string;
  run_id: string;
  /** The person who asked for the ticket. */
  subject: string;
  sees_payloads: boolean;
  /** The last event that the person knows. */
  after_seq: number;
  /** The end of the token that the ticket was asked for with. */
  token_expires_at: OptionalTime;
  expires_at: Time;
}

/** Events that were written together, for an hour: the order in which a tenant's events are streamed. */
export interface WrittenBatchesTable {
  tenant_id: string;
  /** The transaction. */
  xid: Generated<string>;
  run_id: string;
  first_seq: number;
  last_seq: number;
  written_at: Generated<Date>;
}
