import { sql } from 'kysely';
import type { Kysely } from 'kysely';

/** The tables. Definitions come first, because other tables refer to them. */
const STATEMENTS = [
  // Definitions, published graphs and their aliases.
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
    publication integer not null,
    configured integer,
    primary key (tenant_id, name, version),
    unique (tenant_id, name, hash),
    unique (tenant_id, name, publication)
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
  `create index graphs_of_definition on graphs (hash)`,

  // Settings of administrators that apply to all runs, and the audit log.
  `create table switches (
    kind text not null,
    name text not null,
    state text not null,
    reason text not null,
    tenants text[],
    changed_at timestamptz not null,
    changed_by text not null,
    primary key (kind, name)
  )`,

  `create table tenant_terms (
    tenant_id text primary key,
    quota json not null,
    suspended_at timestamptz,
    suspended_reason text,
    changed_at timestamptz not null,
    changed_by text not null
  )`,

  `create table audit (
    id text primary key,
    at timestamptz not null,
    tenant_id text not null,
    action text not null,
    subject text,
    run_id text,
    acted_by text not null,
    acted_by_tenant text not null,
    roles text[] not null,
    request_id text not null
  )`,
  `create index audit_newest on audit (at desc, id desc)`,
  `create index audit_of_tenant on audit (tenant_id, at desc, id desc)`,
  `create index audit_of_run on audit (run_id, at desc, id desc) where run_id is not null`,

  // Approvals of all runs, as the inbox lists them.
  `create table approvals (
    id text primary key,
    tenant_id text not null,
    run_id text not null,
    status text not null,
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    tool text,
    reminded_at timestamptz,
    reminder_id text,
    notice_at timestamptz,
    closed_at timestamptz,
    seq integer not null,
    body json not null
  )`,
  `create index approvals_inbox on approvals (tenant_id, status, requested_at desc, id desc)`,
  `create index approvals_closed on approvals (tenant_id, closed_at desc, id desc) where closed_at is not null`,
  `create index approvals_pending on approvals (requested_at) where status = 'pending'`,
  `create index approvals_to_notice on approvals (notice_at) where status = 'pending' and notice_at is not null`,
  `create index approvals_of_run on approvals (run_id)`,

  `create table approval_comments (
    id text primary key,
    approval_id text not null,
    run_id text not null,
    written_by text not null,
    text text not null,
    created_at timestamptz not null
  )`,
  `create index approval_comments_of_approval on approval_comments (approval_id, created_at)`,
  `create index approval_comments_of_run on approval_comments (run_id)`,

  // The ledger of calls; `LedgerTable` states which calls have a row.
  `create table ledger (
    key text primary key,
    tenant_id text not null,
    run_id text not null,
    node text not null,
    element integer,
    called text not null,
    request_hash text not null,
    request json,
    status text not null,
    takeover integer not null,
    claim text not null,
    failures integer not null,
    attempts text[] not null default '{}',
    result json,
    failure json,
    next_attempt_at timestamptz,
    scheduled_at timestamptz not null,
    claimed_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create index ledger_of_run on ledger (run_id, status)`,

  // Files of tenants. Pieces are stored first, and become a file when all of them are there.
  `create table files (
    id text primary key,
    tenant_id text not null,
    upload_id text not null unique,
    size integer not null,
    content_type text not null,
    sha256 text not null,
    created_at timestamptz not null,
    created_by text not null,
    used_at timestamptz not null
  )`,
  `create index files_of_tenant on files (tenant_id) include (size)`,
  `create index files_by_use on files (used_at)`,

  `create table file_pieces (
    upload_id text not null,
    number integer not null,
    data bytea not null,
    created_at timestamptz not null,
    primary key (upload_id, number)
  )`,
  `alter table file_pieces alter column data set storage external`,
  `create index file_pieces_begun on file_pieces (created_at) where number = 0`,

  // Hooks, and the messages that they have received.
  `create table hooks (
    tenant_id text not null,
    name text not null,
    scheme text not null,
    secret text,
    secret_name text,
    action json not null,
    redacted text[] not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    roles text[] not null,
    primary key (tenant_id, name)
  )`,
  `create index hooks_named on hooks (name, created_at)`,

  `create table hook_messages (
    tenant_id text not null,
    hook text not null,
    message text not null,
    work_id text not null,
    lease_until timestamptz not null,
    answer json,
    received_at timestamptz not null,
    primary key (tenant_id, hook, message)
  )`,
  `create index hook_messages_age on hook_messages (received_at)`,

  // Records of requests: idempotent answers and stream tickets.
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

  // Runs, their threads, journals and checkpoints.
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
    written_at timestamptz,
    failing_execution text,
    failing_by text,
    failing_reason text,
    failing_proofs integer not null default 0,
    last_seq integer not null default 0,
    cost_usd double precision not null default 0,
    view json,
    ended_state json
  )`,
  `create index runs_newest on runs (tenant_id, created_at desc, id desc)`,
  `create index runs_newest_of_all on runs (created_at desc, id desc)`,
  `create index runs_to_settle on runs (tenant_id, created_at desc, id desc)
    where view::text like '%"kind":"intervention"%'`,
  `create index runs_by_status on runs (tenant_id, status, created_at desc, id desc)`,
  `create index runs_of_graph on runs (tenant_id, graph_name, created_at desc, id desc)`,
  `create index runs_by_label on runs using gin (labels)`,
  `create index runs_to_dispatch on runs (dispatch_after) where dispatched_at is null and is_dequeued`,
  `create index runs_queued on runs (tenant_id, thread_id, created_at, id) where not is_dequeued`,
  `create index runs_interrupting on runs (tenant_id, thread_id, created_at, id) where not is_dequeued and interrupts`,
  `create index runs_of_thread on runs (tenant_id, thread_id, created_at desc, id desc) where thread_id is not null`,
  `create index runs_ended on runs (ended_at) where ended_at is not null`,
  `create index runs_active on runs (id) include (status) where ended_at is null`,
  `create index runs_failing on runs (id) where failing_execution is not null`,
  `create index runs_of_predecessor on runs (predecessor_id) where predecessor_id is not null`,
  `create index runs_of_definition on runs (graph_hash)`,
  `create index runs_of_parent on runs (parent_run_id) where parent_run_id is not null`,

  `create table threads (
    tenant_id text not null,
    id text not null,
    active_run_id text,
    last_run_id text not null,
    has_queue boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (tenant_id, id)
  )`,
  `create index threads_of_last_run on threads (last_run_id)`,
  `create index threads_of_active_run on threads (active_run_id) where active_run_id is not null`,
  `create index threads_that_go_on on threads (tenant_id, id) where active_run_id is null and has_queue`,

  `create table events (
    run_id text not null,
    seq integer not null,
    execution_run_id text not null,
    type text not null constraint events_say_one_thing check (type <> ''),
    call_key text,
    body json not null,
    primary key (run_id, seq)
  )`,
  // The content of an event without its times and independent of the order, which is the same when a run is replayed.
  `create function said(body json) returns text[] language sql immutable as $$
    select array_agg(piece order by piece collate "C") from unnest(string_to_array(translate(regexp_replace(
      body::text, '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{3}Z|"durationMs":[0-9]+', '', 'g'
    ), '{}[]', ',,,,'), ',')) as pieces (piece)
  $$`,
  `create index events_of_call on events (run_id, call_key) where call_key is not null`,

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

  // Schedules and their fires, which outlive the runs that they have started.
  `create table schedules (
    id text primary key,
    tenant_id text not null,
    schedule json not null,
    revision integer not null,
    synced_revision integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    deleted_at timestamptz
  )`,
  `create index schedules_by_age on schedules (tenant_id, created_at, id)`,
  `create index schedules_to_sync on schedules (updated_at)
    where synced_revision <> revision or deleted_at is not null`,

  `create table schedule_fires (
    tenant_id text not null,
    schedule_id text not null,
    at timestamptz not null,
    kind text not null,
    run_id text not null,
    outcome text not null default 'pending',
    code text,
    message text,
    asked_at timestamptz,
    sent_at timestamptz,
    opened_at timestamptz,
    canceled_at timestamptz,
    closed_at timestamptz,
    due_at timestamptz not null default now(),
    close_after timestamptz not null default now(),
    close_failures integer not null default 0,
    primary key (tenant_id, schedule_id, at)
  )`,
  `create index schedule_fires_open on schedule_fires (due_at) where closed_at is null`,

  // Values outside of runs: large payloads and long-term memory.
  `create table memory (
    tenant_id text not null,
    namespace text collate "C" not null,
    key text collate "C" not null,
    value json not null,
    words text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    updated_run text,
    expires_at timestamptz,
    embedded_by text,
    embed_after timestamptz not null,
    primary key (tenant_id, namespace, key)
  )`,
  `create index memory_by_words on memory using gin (to_tsvector('simple', words))`,
  `create index memory_to_forget on memory (expires_at) where expires_at is not null`,
  `create index memory_by_model on memory (embedded_by)`,

  `create table blobs (
    id text primary key,
    workflow_id text not null,
    metadata json not null,
    data bytea,
    pieces json,
    created_at timestamptz not null
  )`,
  `create index blobs_of_workflow on blobs (workflow_id)`,
  `create table blob_pieces (
    workflow_id text not null,
    digest text not null,
    data bytea not null,
    primary key (workflow_id, digest)
  )`,

  // Webhooks, their events, and the deliveries of these.
  `create table webhooks (
    id text primary key,
    tenant_id text not null,
    url text not null,
    events text[] not null,
    format text not null,
    link_base text,
    secret text,
    earlier_secrets json not null,
    rotation text,
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    created_at timestamptz not null,
    created_by text not null
  )`,
  `create index webhooks_of_tenant on webhooks (tenant_id, created_at desc, id desc)`,

  `create table webhook_events (
    id text primary key,
    tenant_id text not null,
    type text not null,
    run_id text,
    subject_id text,
    at timestamptz not null,
    subject json,
    body text
  )`,
  `create index webhook_events_of_run on webhook_events (run_id)`,
  `create index webhook_events_age on webhook_events (at)`,

  `create table webhook_deliveries (
    id text primary key,
    webhook_id text not null,
    event_id text not null,
    type text not null,
    status text not null,
    due_at timestamptz,
    claim text,
    failures integer not null,
    attempts json not null,
    created_at timestamptz not null
  )`,
  `create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null`,
  `create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc, id desc)`,
  `create index webhook_deliveries_of_event on webhook_deliveries (event_id)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
