import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** The stream that a ticket gives access to. */
export interface StreamTicket {
  /** The tenant of the run. */
  readonly tenantId: string;
  readonly runId: string;
  /** The user who requested the ticket. */
  readonly sub: string;
  readonly seesPayloads: boolean;
  /** The last event that the user has received. */
  readonly after: number;
  /** When the token that requested the ticket expires, in milliseconds since the epoch. */
  readonly tokenExpiresAtMs: number | null;
}

/**
 * Tickets are stored as hashes, so that reading the database does not allow using them. Times are those of the
 * database.
 */
export interface StreamTickets {
  /** Issues a ticket. @returns `null` when the tenant has too many unused tickets */
  issue(ticket: StreamTicket): Promise<{ readonly ticket: string; readonly expiresAt: string } | null>;
  /** Reads a ticket without consuming it. @returns `null` when it is used, expired, or belongs to another run */
  find(ticket: string, runId: string): Promise<StreamTicket | null>;
  /** Consumes a ticket. @returns true for exactly one of concurrent calls */
  redeem(ticket: string, runId: string): Promise<boolean>;
  forgetExpired(): Promise<void>;
}

const MAX_UNUSED = 1_000;
const TICKET_BYTES = 32;
/** A ticket has the length of 32 bytes in base64url; other texts are refused without a query. */
const TICKET = /^[\w-]{43}$/;

/** @internal */
export function createStreamTickets(db: Kysely<Tables>): StreamTickets {
  return {
    issue: (ticket) => issueTicket(db, ticket),
    find: (ticket, runId) => findTicket(db, ticket, runId),
    async redeem(ticket, runId) {
      const { numDeletedRows } = await db
        .deleteFrom('stream_tickets')
        .where('hash', '=', hashOfTicket(ticket))
        .where('run_id', '=', runId)
        .where(IS_VALID)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
    forgetExpired: async () => void (await sql`delete from stream_tickets where expires_at < now()`.execute(db)),
  };
}

async function issueTicket(db: Kysely<Tables>, terms: StreamTicket): ReturnType<StreamTickets['issue']> {
  const { tenantId, runId, sub, seesPayloads, after, tokenExpiresAtMs } = terms;
  const ticket = randomBytes(TICKET_BYTES).toString('base64url');
  const tokenExpiresAt = tokenExpiresAtMs === null ? null : new Date(tokenExpiresAtMs).toISOString();
  const { rows } = await sql<{ expires_at: Date }>`
    insert into stream_tickets
      (hash, tenant_id, run_id, subject, sees_payloads, after_seq, token_expires_at, expires_at)
    select ${hashOfTicket(ticket)}, ${tenantId}, ${runId}, ${sub}, ${seesPayloads}::boolean, ${after}::integer,
      ${tokenExpiresAt}::timestamptz, now() + interval '1 minute'
    where (
      select count(*) from stream_tickets where tenant_id = ${tenantId} and expires_at > now()
    ) < ${MAX_UNUSED}
    returning expires_at
  `.execute(db);
  return rows[0] ? { ticket, expiresAt: rows[0].expires_at.toISOString() } : null;
}

async function findTicket(db: Kysely<Tables>, ticket: string, runId: string): Promise<StreamTicket | null> {
  if (!TICKET.test(ticket)) return null;
  const row = await db
    .selectFrom('stream_tickets')
    .selectAll()
    .where('hash', '=', hashOfTicket(ticket))
    .where('run_id', '=', runId)
    .where(IS_VALID)
    .executeTakeFirst();
  if (!row) return null;
  return {
    tenantId: row.tenant_id,
    runId,
    sub: row.subject,
    seesPayloads: row.sees_payloads,
    after: row.after_seq,
    tokenExpiresAtMs: row.token_expires_at?.getTime() ?? null,
  };
}

const IS_VALID = sql<boolean>`expires_at > now()`;

function hashOfTicket(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
