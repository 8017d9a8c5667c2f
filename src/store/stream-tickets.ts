import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';

/** What a ticket lets its holder see. */
export interface StreamTicket {
  /** The tenant of the run. */
  readonly tenantId: string;
  readonly runId: string;
  /** The person who asked for it. */
  readonly sub: string;
  readonly seesPayloads: boolean;
  /** The last event that the person knows. */
  readonly after: number;
  /** The end of the token that it was asked for with. */
  readonly tokenExpiresAtMs: number | null;
}

/** Tickets are kept as hashes: who reads the database can't use one. The clock is the database's. */
export interface StreamTickets {
  /** @returns `null`: the tenant has too many that are not used */
  issue(ticket: StreamTicket): Promise<{ readonly ticket: string; readonly expiresAt: string } | null>;
  /** Reads a ticket without using it up. @returns `null`: it is used, expired, or another run's */
  find(ticket: string, runId: string): Promise<StreamTicket | null>;
  /** Uses a ticket up. @returns true once, whatever number of processes asks */
  redeem(ticket: string, runId: string): Promise<boolean>;
  forgetExpired(): Promise<void>;
}

const MAX_UNUSED = 1_000;
const TICKET_BYTES = 32;
/** As long as 32 bytes in base64url; others are none of ours. */
const TICKET = /^[\w-]{43}$/;

export function createStreamTickets(db: Kysely<Tables>): StreamTickets {
  return {
    issue: (ticket) => issue(db, ticket),
    find: (ticket, runId) => find(db, ticket, runId),
    redeem: (ticket, runId) => redeem(db, ticket, runId),
    forgetExpired: async () => void (await sql`delete from stream_tickets where expires_at < now()`.execute(db)),
  };
}

async function issue(db: Kysely<Tables>, terms: StreamTicket): ReturnType<StreamTickets['issue']> {
  const { tenantId, runId, sub, seesPayloads, after, tokenExpiresAtMs } = terms;
  const ticket = randomBytes(TICKET_BYTES).toString('base64url');
  const tokenExpiresAt = tokenExpiresAtMs === null ? null : new Date(tokenExpiresAtMs).toISOString();
  const { rows } = await sql<{ expires_at: Date }>`
    insert into stream_tickets
      (hash, tenant_id, run_id, subject, sees_payloads, after_seq, token_expires_at, expires_at)
    select ${hashOf(ticket)}, ${tenantId}, ${runId}, ${sub}, ${seesPayloads}::boolean, ${after}::integer,
      ${tokenExpiresAt}::timestamptz, now() + interval '1 minute'
    where (
      select count(*) from stream_tickets where tenant_id = ${tenantId} and expires_at > now()
    ) < ${MAX_UNUSED}
    returning expires_at
  `.execute(db);
  return rows[0] ? { ticket, expiresAt: rows[0].expires_at.toISOString() } : null;
}

async function find(db: Kysely<Tables>, ticket: string, runId: string): Promise<StreamTicket | null> {
  if (!TICKET.test(ticket)) return null;
  const row = await db
    .selectFrom('stream_tickets')
    .selectAll()
    .where('hash', '=', hashOf(ticket))
    .where('run_id', '=', runId)
    .where(IS_GOOD)
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

async function redeem(db: Kysely<Tables>, ticket: string, runId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('stream_tickets')
    .where('hash', '=', hashOf(ticket))
    .where('run_id', '=', runId)
    .where(IS_GOOD)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const IS_GOOD = sql<boolean>`expires_at > now()`;

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
