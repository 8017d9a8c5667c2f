/** Files of tenants. Pieces come first, and become a file when all of them are there. */
export const FILES_TABLES = [
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
] as const;
