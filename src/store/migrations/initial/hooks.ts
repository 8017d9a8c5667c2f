/** Hooks, and the messages that have come to them. */
export const HOOKS_TABLES = [
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
] as const;
