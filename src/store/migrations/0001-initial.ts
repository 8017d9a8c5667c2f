import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** The first tables: graphs, runs and their journal, approvals, the ledger, blobs, idempotency records. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table definitions (hash text primary key, definition json not null)`,

  `create table graphs (
    tenant_id text not null,
    name text not null,
    version integer not null,
    hash text not null references definitions (hash),
    warnings json not null,
    pins json not null,
    created_at timestamptz not null,
    created_by text not null,
    unpublished_at timestamptz,
    unpublished_by text,
    primary key (tenant_id, name, version),
    unique (tenant_id, name, hash)
  )`,

  `create table graph_aliases (
    tenant_id text not null,
    name text not null,
    alias text not null,
    version integer not null,
    canary_version integer,
    canary_share double precision,
    updated_at timestamptz not null,
    updated_by text not null,
    primary key (tenant_id, name, alias)
  )`,

  `create table memory (
    tenant_id text not null,
    namespace text collate "C" not null,
    key text collate "C" not null,
    value json not null,
    words text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    expires_at timestamptz,
    primary key (tenant_id, namespace, key)
  )`,
  `create index memory_by_words on memory using gin (to_tsvector('simple', words))`,
  `create index memory_to_forget on memory (expires_at) where expires_at is not null`,

  `create table runs (
    id text primary key,
    tenant_id text not null,
    status text not null,
    graph_name text not null,
    graph_version integer,
    graph_hash text not null references definitions (hash),
    thread_id text,
    parent_run_id text,
    replay_of text,
    divergence json,
    start json not null,
    reopening json,
    input json not null,
    limits json not null,
    metadata json not null,
    labels text[] not null,
    redaction json not null,
    created_by text not null,
    created_at timestamptz not null,
    execution integer not null,
    is_dequeued boolean not null,
    predecessor_id text,
    interrupts boolean not null,
    queued_signals json not null default '[]',
    dispatched_at timestamptz,
    dispatch_after timestamptz not null,
    dispatch_problem text,
    dispatch_problem_since timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    failing_execution text,
    failing_by text,
    failing_reason text,
    last_seq integer not null default 0,
    view json,
    ended_state json
  )`,
  `create index runs_newest on runs (tenant_id, created_at desc, id desc)`,
  `create index runs_newest_of_all on runs (created_at desc, id desc)`,
  `create index runs_to_settle on runs (tenant_id, created_at desc, id desc)
    where view::text like '%"kind":"intervention"%'`,
  `create index runs_by_status on runs (tenant_id, status, created_at desc, id desc)`,
  `create index runs_by_label on runs using gin (labels)`,
  `create index runs_to_dispatch on runs (dispatch_after) where dispatched_at is null and is_dequeued`,
  `create index runs_queued on runs (tenant_id, thread_id, created_at, id) where not is_dequeued`,
  `create index runs_of_thread on runs (tenant_id, thread_id, created_at desc, id desc) where thread_id is not null`,
  `create index runs_ended on runs (ended_at) where ended_at is not null`,
  `create index runs_active on runs (id) include (status) where ended_at is null`,
  `create index runs_failing on runs (id) where failing_execution is not null`,
  `create index runs_of_predecessor on runs (predecessor_id) where predecessor_id is not null`,
  `create index runs_of_definition on runs (graph_hash)`,
  `create index graphs_of_definition on graphs (hash)`,
  `create index runs_of_parent on runs (parent_run_id) where parent_run_id is not null`,

  `create table threads (
    tenant_id text not null,
    id text not null,
    active_run_id text,
    last_run_id text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id)
  )`,
  `create index threads_of_last_run on threads (last_run_id)`,
  `create index threads_of_active_run on threads (active_run_id) where active_run_id is not null`,

  `create table events (
    run_id text not null,
    seq integer not null,
    execution_run_id text not null,
    type text not null,
    body json not null,
    primary key (run_id, seq)
  )`,

  `create table occurrences (
    run_id text not null,
    number integer not null,
    body json not null,
    primary key (run_id, number)
  )`,

  `create table checkpoints (
    id text primary key,
    run_id text not null,
    seq integer not null,
    parent_id text,
    step integer not null,
    source text not null,
    next json not null,
    changes json not null,
    resume_point json not null,
    bytes integer not null,
    created_at timestamptz not null
  )`,
  `create index checkpoints_of_run on checkpoints (run_id, seq)`,

  `create table snapshots (
    checkpoint_id text primary key,
    run_id text not null,
    seq integer not null,
    channels json not null,
    resume_point json not null,
    bytes integer not null
  )`,
  `create index snapshots_of_run on snapshots (run_id, seq desc)`,

  `create table approvals (
    id text primary key,
    tenant_id text not null,
    run_id text not null,
    status text not null,
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    tool text,
    seq integer not null,
    body json not null
  )`,
  `create index approvals_inbox on approvals (tenant_id, status, requested_at desc, id desc)`,
  `create index approvals_pending on approvals (requested_at) where status = 'pending'`,
  `create index approvals_of_run on approvals (run_id)`,

  `create table ledger (
    key text primary key,
    tenant_id text not null,
    run_id text not null,
    node text not null,
    element integer,
    called text not null,
    request_hash text not null,
    status text not null,
    takeover integer not null,
    claim text not null,
    failures integer not null,
    result json,
    failure json,
    next_attempt_at timestamptz,
    scheduled_at timestamptz not null,
    claimed_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index ledger_of_run on ledger (run_id, status)`,
  `create index ledger_in_doubt on ledger (key) where status = 'unknown'`,

  `create table blobs (
    id text primary key,
    workflow_id text not null,
    metadata json not null,
    data bytea not null,
    created_at timestamptz not null
  )`,
  `create index blobs_of_workflow on blobs (workflow_id)`,

  `create table idempotency (
    tenant_id text not null,
    subject text not null,
    route text not null,
    key text not null,
    fingerprint text not null,
    resource_id text not null,
    lease_until timestamptz not null,
    status integer,
    headers json,
    body json,
    created_at timestamptz not null,
    primary key (tenant_id, subject, route, key)
  )`,
  `create index idempotency_age on idempotency (created_at)`,

  `create table stream_tickets (
    hash text primary key,
    tenant_id text not null,
    run_id text not null,
    subject text not null,
    sees_payloads boolean not null,
    after_seq integer not null,
    token_expires_at timestamptz,
    expires_at timestamptz not null
  )`,
  `create index stream_tickets_of_tenant on stream_tickets (tenant_id, expires_at)`,
  `create index stream_tickets_age on stream_tickets (expires_at)`,

  `create table written_batches (
    tenant_id text not null,
    xid xid8 not null default pg_current_xact_id(),
    run_id text not null,
    first_seq integer not null,
    last_seq integer not null,
    written_at timestamptz not null default now(),
    primary key (tenant_id, xid, run_id, first_seq)
  )`,
  `create index written_batches_age on written_batches (written_at)`,
] as const;
