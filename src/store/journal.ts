import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import statement, { empty, join } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { closingDecision } from '../graph/run/index.ts';
import type { Approval, RecordedOccurrence } from '../graph/run/index.ts';
import type { EventOf, JournalBatch, RunEvent } from '../graph/journal/index.ts';
import { runStatement } from './database/run-statement.ts';
import { announceChange } from './changes.ts';
import { eventsOfTypes, lastOfType, listEvents, recordedBytes, toEventPosition } from './events.ts';
import type { EventRange } from './events.ts';
import type { Page, PageRequest } from './page.ts';
import { readLastUpdates } from './last-updates.ts';
import type { CompletedTask, TaskUpdate } from './last-updates.ts';
import type { Tables } from './tables.ts';
import { noticesOf, webhookClauses } from './webhooks/webhook-events.ts';

/** The run that writes, and Temporal's id of its execution. */
export interface JournalWriter {
  readonly runId: string;
  readonly tenantId: string;
  readonly executionRunId: string;
  /** The name of its graph, for the labels of metrics. */
  readonly graph?: string;
}

export interface Journal {
  /**
   * Writes a batch.
   * @throws an error for which `isContradiction` is true if an event with the same number and another content exists
   */
  write(batch: JournalBatch, writer: JournalWriter): Promise<void>;
  /** Reads a page of the history, up to the first gap. */
  list(runId: string, page: PageRequest): Promise<Page<RunEvent>>;
  /** Reads the events after a number, up to the first gap or the end of a page. */
  events(runId: string, after: number, limit: number): Promise<readonly RunEvent[]>;
  /** Returns the number of bytes that a replay of the run holds in memory. */
  recordedBytes(runId: string): Promise<number>;
  /** Reads the occurrences that a run has processed, in order. */
  occurrences(runId: string): Promise<readonly RecordedOccurrence[]>;
  /** Reads events of some types in order, within a part of the history; pages are read on demand. */
  ofTypes<Type extends RunEvent['type']>(
    runId: string,
    types: readonly Type[],
    range: EventRange,
  ): AsyncIterable<EventOf<Type>>;
  /** Finds the last event of a type, or `null`. */
  lastOfType<Type extends RunEvent['type']>(runId: string, type: Type): Promise<EventOf<Type> | null>;
  /** Reads the latest updates that tasks have written in a superstep; see the function of this name. */
  lastUpdates(runId: string, step: number, tasks: readonly CompletedTask[]): Promise<readonly (TaskUpdate | null)[]>;
  /** Lists the last nodes that ran up to an event, oldest first, 100 at most. */
  visited(runId: string, upTo: number): Promise<readonly string[]>;
  /** Lists all nodes that ever began, without duplicates; a node in a subgraph is `outer/inner`. */
  begun(runId: string): Promise<readonly string[]>;
}

/** @internal */
export function createJournal(db: Kysely<Tables>): Journal {
  return {
    // A whole batch takes one statement and one round trip. JSON is sent and stored as text, because the database can't
    // parse every JSON string (`\u0000`, unpaired surrogates).
    async write(batch, writer) {
      const parts = join(journalParts(batch, writer));
      await runStatement(db, statement`with ${parts} select ${announceBatch(batch, writer)}`);
    },
    list: (runId, page) => listEvents(db, runId, page),
    events: async (runId, after, limit) =>
      (await listEvents(db, runId, { limit, after: toEventPosition(after) })).items,
    recordedBytes: (runId) => recordedBytes(db, runId),
    async occurrences(runId) {
      const rows = await db
        .selectFrom('occurrences')
        .select('body')
        .where('run_id', '=', runId)
        .orderBy('number')
        .execute();
      return rows.map(({ body }) => body);
    },
    ofTypes: (runId, types, range) => eventsOfTypes(db, runId, types, range),
    lastOfType: (runId, type) => lastOfType(db, runId, type),
    lastUpdates: (runId, step, tasks) => readLastUpdates(db, runId, step, tasks),
    visited: (runId, upTo) => readVisitedNodes(db, runId, upTo),
    begun: (runId) => readBegunNodes(db, runId),
  };
}

/**
 * Builds the clauses of a `with` statement that write a batch; its `select` must contain `announceBatch`.
 * @internal
 */
export function journalParts(batch: JournalBatch, writer: JournalWriter): readonly Sql[] {
  const { checkpoints, occurrences, approvals, view } = batch;
  const telling = webhookClauses(batch, writer);
  return [
    statement`written_events as (${insertEvents(batch, writer)})`,
    statement`noted_batch as (${insertWrittenBatch(writer)})`,
    ...(checkpoints.length > 0 ? [statement`written_checkpoints as (${insertCheckpoints(batch, writer)})`] : []),
    ...(occurrences.length > 0 ? [statement`written_occurrences as (${insertOccurrences(batch, writer)})`] : []),
    ...(approvals.length > 0 ? [statement`written_approvals as (${upsertApprovals(batch, writer)})`] : []),
    ...(view.endedAt === null ? [] : [statement`freed_thread as (${freeThread(batch, writer)})`]),
    statement`updated_run as (${updateRun(batch, writer)}${telling.length > 0 ? statement`returning view` : empty})`,
    ...telling,
  ];
}

/** Builds an expression that notifies the subscribers of the batch's run. @internal */
export function announceBatch(batch: JournalBatch, { runId, tenantId }: JournalWriter): Sql {
  return announceChange({ tenantId, runId, seq: lastSeqOf(batch), status: batch.view.status });
}

function insertEvents({ events: written }: JournalBatch, { runId, executionRunId }: JournalWriter): Sql {
  return statement`
    insert into events (run_id, seq, execution_run_id, type, call_key, body)
    select ${runId}, seq, ${executionRunId}, type, call_key, body::json
    from unnest(
      ${written.map(({ seq }) => seq)}::integer[],
      ${written.map(({ type }) => type)}::text[],
      ${written.map((event) => ('idempotencyKey' in event ? event.idempotencyKey : null))}::text[],
      ${toJsonTexts(written)}::text[]
    ) as rows (seq, type, call_key, body)
    on conflict (run_id, seq) do update set type = '' where ${IS_CONTRADICTION}
    returning seq
  `;
}

/**
 * Compares an event with the stored one, which must not change. The texts are usually equal, so they are compared
 * first.
 */
const IS_CONTRADICTION = statement`
  events.body::text <> excluded.body::text and said(events.body) <> said(excluded.body)
`;

/**
 * Records which events are new, without those that are stored already. It yields one row for each contiguous range of
 * numbers.
 */
function insertWrittenBatch({ tenantId, runId }: JournalWriter): Sql {
  return statement`
    insert into written_batches (tenant_id, run_id, first_seq, last_seq)
    select ${tenantId}, ${runId}, min(seq), max(seq)
    from (select seq, seq - row_number() over (order by seq) as before from written_events) as numbered
    group by before
  `;
}

function insertCheckpoints({ checkpoints }: JournalBatch, { runId }: JournalWriter): Sql {
  return statement`
    insert into checkpoints (id, run_id, seq, parent_id, step, source, next, changes, resume_point, bytes, created_at)
    select id, ${runId}, seq, parent_id, step, source, next::json, changes::json, resume_point::json,
      octet_length(changes) + octet_length(resume_point), created_at
    from unnest(
      ${checkpoints.map(({ id }) => id)}::text[],
      ${checkpoints.map(({ seq }) => seq)}::integer[],
      ${checkpoints.map(({ parentId }) => parentId)}::text[],
      ${checkpoints.map(({ step }) => step)}::integer[],
      ${checkpoints.map(({ source }) => source)}::text[],
      ${toJsonTexts(checkpoints.map(({ next }) => next))}::text[],
      ${toJsonTexts(checkpoints.map(({ changes }) => changes))}::text[],
      ${toJsonTexts(checkpoints.map(({ resumePoint }) => resumePoint))}::text[],
      ${checkpoints.map(({ createdAt }) => createdAt)}::timestamptz[]
    ) as rows (id, seq, parent_id, step, source, next, changes, resume_point, created_at)
    on conflict (id) do nothing
  `;
}

function insertOccurrences({ occurrences }: JournalBatch, { runId }: JournalWriter): Sql {
  return statement`
    insert into occurrences (run_id, number, body)
    select ${runId}, number, body::json
    from unnest(
      ${occurrences.map(({ number }) => number)}::integer[],
      ${toJsonTexts(occurrences)}::text[]
    ) as rows (number, body)
    on conflict (run_id, number) do nothing
  `;
}

function upsertApprovals(batch: JournalBatch, { runId, tenantId }: JournalWriter): Sql {
  const { approvals } = batch;
  return statement`
    insert into approvals (id, tenant_id, run_id, status, requested_at, expires_at, tool, notice_at, closed_at, seq, body)
    select id, ${tenantId}, ${runId}, status, requested_at, expires_at, tool, notice_at, closed_at, ${lastSeqOf(batch)},
      body::json
    from unnest(
      ${approvals.map(({ id }) => id)}::text[],
      ${approvals.map(({ status }) => status)}::text[],
      ${approvals.map(({ requestedAt }) => requestedAt)}::timestamptz[],
      ${approvals.map(({ expiresAt }) => expiresAt)}::timestamptz[],
      ${approvals.map(({ tool }) => tool ?? null)}::text[],
      ${approvals.map((approval) => noticesOf(approval)[0]?.at ?? null)}::timestamptz[],
      ${approvals.map((approval) => closingTimeOf(approval, batch))}::timestamptz[],
      ${toJsonTexts(approvals)}::text[]
    ) as rows (id, status, requested_at, expires_at, tool, notice_at, closed_at, body)
    on conflict (id) do update set status = excluded.status, seq = excluded.seq, body = excluded.body,
      closed_at = coalesce(approvals.closed_at, excluded.closed_at)
    where excluded.seq > approvals.seq
  `;
}

/**
 * Returns the time when an approval was closed: by its last decision, by its timeout, or by the event that canceled it.
 */
function closingTimeOf(approval: Approval, { events }: JournalBatch): string | null {
  const { status, expiresAt } = approval;
  if (status === 'pending') return null;
  return closingDecision(approval)?.at ?? (status === 'canceled' ? events.at(-1)?.at : null) ?? expiresAt;
}

/** The batch that ends a run releases its thread. */
function freeThread(batch: JournalBatch, { runId, tenantId }: JournalWriter): Sql {
  const { endedAt } = batch.view;
  return statement`
    update threads set active_run_id = null, updated_at = ${endedAt}::timestamptz
    where tenant_id = ${tenantId} and active_run_id = ${runId}
      and exists (select from runs where id = ${runId} and last_seq < ${lastSeqOf(batch)})
  `;
}

/** A late batch changes nothing but the start time of the run, if it contains the start event. */
function updateRun(batch: JournalBatch, { runId }: JournalWriter): Sql {
  const { view, endedState } = batch;
  const lastSeq = lastSeqOf(batch);
  const startedAt = batch.events.find(({ type }) => type === 'run.started')?.at ?? null;
  const isNewer = statement`last_seq < ${lastSeq}`;
  return statement`
    update runs set
      status = case when ${isNewer} then ${view.status} else status end,
      view = case when ${isNewer} then ${JSON.stringify(view)}::json else view end,
      cost_usd = case when ${isNewer} then ${view.usage.costUsd} else cost_usd end,
      ended_state = case when ${isNewer} then ${endedState && JSON.stringify(endedState)}::json else ended_state end,
      ended_at = case when ${isNewer} then ${view.endedAt}::timestamptz else ended_at end,
      last_seq = greatest(last_seq, ${lastSeq}),
      written_at = now(),
      started_at = coalesce(started_at, ${startedAt}::timestamptz),
      dispatched_at = case when ${isNewer} then coalesce(dispatched_at, now()) else dispatched_at end
    where id = ${runId} and (${isNewer} or ${startedAt !== null})
  `;
}

function lastSeqOf({ events: written }: JournalBatch): number {
  return written.at(-1)?.seq ?? 0;
}

const toJsonTexts = (values: readonly unknown[]): string[] => values.map((value) => JSON.stringify(value));

function stepStarts(db: Kysely<Tables>, runId: string) {
  return db.selectFrom('events').select('body').where('run_id', '=', runId).where('type', '=', 'step.started');
}

const MAX_VISITED = 100;

async function readVisitedNodes(db: Kysely<Tables>, runId: string, upTo: number): Promise<readonly string[]> {
  const rows = await stepStarts(db, runId)
    .where('seq', '<=', upTo)
    .where(sql<boolean>`body::text not like '%"path":[%'`)
    .orderBy('seq', 'desc')
    .limit(MAX_VISITED)
    .execute();
  const nodes = rows.reverse().flatMap(({ body }) => (body.type === 'step.started' && !body.path ? body.nodes : []));
  return nodes.slice(-MAX_VISITED);
}

async function readBegunNodes(db: Kysely<Tables>, runId: string): Promise<readonly string[]> {
  const rows = await stepStarts(db, runId).execute();
  const addresses = rows.flatMap(({ body }) =>
    body.type === 'step.started' ? body.nodes.map((node) => [...(body.path ?? []), node].join('/')) : [],
  );
  return [...new Set(addresses)];
}
