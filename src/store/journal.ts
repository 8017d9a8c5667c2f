import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { Checkpoint } from '../graph/checkpoint.ts';
import type { RunEvent } from '../graph/events.ts';
import type { JournalBatch } from '../graph/journal-batch.ts';
import type { Tables } from './tables.ts';

/** Who writes: a run, by the execution of its workflow that Temporal knows by `executionRunId`. */
export interface JournalWriter {
  readonly runId: string;
  readonly tenantId: string;
  readonly executionRunId: string;
}

export interface Journal {
  write(batch: JournalBatch, writer: JournalWriter): Promise<void>;
  /** Events after a number, in order, as far as they are there without a gap. */
  events(runId: string, after: number, limit: number): Promise<readonly RunEvent[]>;
  /** The nodes that ran last up to an event, the oldest first, 100 at most. */
  visited(runId: string, upTo: number): Promise<readonly string[]>;
  /** Every node that was begun, once; one of a subgraph after the nodes around it, as `outer/inner`. */
  begun(runId: string): Promise<readonly string[]>;
  /** The checkpoints of a run, the oldest first, up to one of them or the newest. `null`: there is no such checkpoint. */
  checkpointChain(runId: string, upTo: string | null): Promise<readonly Checkpoint[] | null>;
}

export function createJournal(db: Kysely<Tables>): Journal {
  return {
    write: (batch, writer) => write(db, batch, writer),
    events: (runId, after, limit) => events(db, { runId, after }, limit),
    visited: (runId, upTo) => visited(db, runId, upTo),
    begun: (runId) => begun(db, runId),
    checkpointChain: (runId, upTo) => checkpointChain(db, runId, upTo),
  };
}

/**
 * One statement, so that a batch is written as a whole in one round trip. What goes into a column of JSON travels as
 * text and is never taken apart by the database, which can't read every JSON string (`\u0000`, half a surrogate pair).
 */
async function write(db: Kysely<Tables>, batch: JournalBatch, writer: JournalWriter): Promise<void> {
  const { view, events, checkpoints, approvals } = batch;
  const { runId, tenantId, executionRunId } = writer;
  const lastSeq = events.at(-1)?.seq ?? 0;
  await sql`
    with written_events as (
      insert into events (run_id, seq, execution_run_id, type, body)
      select ${runId}, seq, ${executionRunId}, type, body::json
      from unnest(
        ${events.map(({ seq }) => seq)}::integer[],
        ${events.map(({ type }) => type)}::text[],
        ${toTexts(events)}::text[]
      ) as rows (seq, type, body)
      on conflict (run_id, seq) do nothing
    ), written_checkpoints as (
      insert into checkpoints (id, run_id, seq, parent_id, step, source, next, changes, created_at)
      select id, ${runId}, seq, parent_id, step, source, next::json, changes::json, created_at
      from unnest(
        ${checkpoints.map(({ id }) => id)}::text[],
        ${checkpoints.map(({ seq }) => seq)}::integer[],
        ${checkpoints.map(({ parentId }) => parentId)}::text[],
        ${checkpoints.map(({ step }) => step)}::integer[],
        ${checkpoints.map(({ source }) => source)}::text[],
        ${toTexts(checkpoints.map(({ next }) => next))}::text[],
        ${toTexts(checkpoints.map(({ changes }) => changes))}::text[],
        ${checkpoints.map(({ createdAt }) => createdAt)}::timestamptz[]
      ) as rows (id, seq, parent_id, step, source, next, changes, created_at)
      on conflict (id) do nothing
    ), written_approvals as (
      insert into approvals (id, tenant_id, run_id, status, requested_at, seq, body)
      select id, ${tenantId}, ${runId}, status, requested_at, ${lastSeq}, body::json
      from unnest(
        ${approvals.map(({ id }) => id)}::text[],
        ${approvals.map(({ status }) => status)}::text[],
        ${approvals.map(({ requestedAt }) => requestedAt)}::timestamptz[],
        ${toTexts(approvals)}::text[]
      ) as rows (id, status, requested_at, body)
      on conflict (id) do update set status = excluded.status, seq = excluded.seq, body = excluded.body
      where excluded.seq > approvals.seq
    )
    update runs set
      status = ${view.status},
      view = ${JSON.stringify(view)}::json,
      last_seq = ${lastSeq},
      ended_at = ${view.endedAt}::timestamptz
    where id = ${runId} and last_seq < ${lastSeq}
  `.execute(db);
}

const toTexts = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value));

async function events(
  db: Kysely<Tables>,
  { runId, after }: { runId: string; after: number },
  limit: number,
): Promise<readonly RunEvent[]> {
  const rows = await db
    .selectFrom('events')
    .select(['seq', 'body'])
    .where('run_id', '=', runId)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
  const gap = rows.findIndex(({ seq }, at) => seq !== after + 1 + at);
  return (gap < 0 ? rows : rows.slice(0, gap)).map(({ body }) => body);
}

const MAX_VISITED = 100;

async function visited(db: Kysely<Tables>, runId: string, upTo: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('events')
    .select('body')
    .where('run_id', '=', runId)
    .where('seq', '<=', upTo)
    .where('type', '=', 'step.started')
    .where(sql<boolean>`body::text not like '%"path":[%'`)
    .orderBy('seq', 'desc')
    .limit(MAX_VISITED)
    .execute();
  const nodes = rows.reverse().flatMap(({ body }) => (body.type === 'step.started' && !body.path ? body.nodes : []));
  return nodes.slice(-MAX_VISITED);
}

async function begun(db: Kysely<Tables>, runId: string): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('events')
    .select('body')
    .where('run_id', '=', runId)
    .where('type', '=', 'step.started')
    .execute();
  const addresses = rows.flatMap(({ body }) =>
    body.type === 'step.started' ? body.nodes.map((node) => [...(body.path ?? []), node].join('/')) : [],
  );
  return [...new Set(addresses)];
}

async function checkpointChain(
  db: Kysely<Tables>,
  runId: string,
  upTo: string | null,
): Promise<readonly Checkpoint[] | null> {
  const rows = await db.selectFrom('checkpoints').selectAll().where('run_id', '=', runId).orderBy('seq').execute();
  const last = upTo === null ? rows.length - 1 : rows.findIndex(({ id }) => id === upTo);
  if (upTo !== null && last < 0) return null;
  return rows.slice(0, last + 1).map(({ id, parent_id, seq, step, source, next, changes, created_at }) => ({
    id,
    parentId: parent_id,
    seq,
    step,
    source,
    next,
    changes,
    createdAt: created_at.toISOString(),
  }));
}
