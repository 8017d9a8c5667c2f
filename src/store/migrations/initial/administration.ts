/** What administrators lay down while all runs, and who has done what. */
export const ADMINISTRATION_TABLES = [
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
] as const;
