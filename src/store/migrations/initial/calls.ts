/** The ledger of calls; `LedgerTable` says which of them have a row. */
export const CALLS_TABLES = [
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
] as const;
