/** What a request leaves behind: idempotent answers and tickets of streams. */
export const REQUESTS_TABLES = [
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
] as const;
