/** Definitions, published graphs and their aliases. */
export const GRAPHS_TABLES = [
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
  `create index graphs_of_definition on graphs (hash)`,
] as const;
