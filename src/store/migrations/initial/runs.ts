/** Runs, their threads, journals and checkpoints. */
export const RUNS_TABLES = [
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
  // What an event says besides times, in any order: a run that is played again says the same.
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
] as const;
