/** Schedules, and the times that they have taken. Ticks outlive the runs that they have started. */
export const SCHEDULES_TABLES = [
  `create table schedules (
    id text primary key,
    tenant_id text not null,
    graph text not null,
    input json not null,
    metadata json not null,
    limits json not null,
    thread_id text,
    cron text,
    every text,
    time_zone text not null,
    overlap text not null,
    paused boolean not null,
    redaction json not null,
    owner text not null,
    roles json not null,
    revision integer not null,
    synced_revision integer not null,
    lease_until timestamptz not null,
    created_at timestamptz not null,
    created_by text not null,
    updated_at timestamptz not null,
    updated_by text not null,
    deleted_at timestamptz
  )`,
  `create index schedules_by_age on schedules (tenant_id, created_at, id)`,
  `create index schedules_to_tell on schedules (updated_at)
    where synced_revision <> revision or deleted_at is not null`,

  `create table schedule_ticks (
    tenant_id text not null,
    schedule_id text not null,
    at timestamptz not null,
    kind text not null,
    run_id text not null,
    outcome text not null,
    code text,
    message text,
    primary key (tenant_id, schedule_id, at)
  )`,
  `create index schedule_ticks_pending on schedule_ticks (tenant_id, schedule_id, at) where outcome = 'pending'`,
] as const;
