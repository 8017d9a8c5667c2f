/** Approvals of all runs, as the inbox lists them. */
export const APPROVALS_TABLES = [
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
] as const;
