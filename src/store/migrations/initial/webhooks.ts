/** Webhooks, the events that they are told of, and the deliveries of these. */
export const WEBHOOKS_TABLES = [
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
] as const;
