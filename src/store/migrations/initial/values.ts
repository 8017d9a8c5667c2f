/** Values that live outside a run: large payloads and long-term memory. */
export const VALUES_TABLES = [
  `create table memory (
    tenant_id text not null,
    namespace text collate "C" not null,
    key text collate "C" not null,
    value json not null,
    words text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    updated_by text not null,
    updated_run text,
    expires_at timestamptz,
    embedded_by text,
    embed_after timestamptz not null,
    primary key (tenant_id, namespace, key)
  )`,
  `create index memory_by_words on memory using gin (to_tsvector('simple', words))`,
  `create index memory_to_forget on memory (expires_at) where expires_at is not null`,
  `create index memory_by_model on memory (embedded_by)`,

  `create table blobs (
    id text primary key,
    workflow_id text not null,
    metadata json not null,
    data bytea,
    pieces json,
    created_at timestamptz not null
  )`,
  `create index blobs_of_workflow on blobs (workflow_id)`,
  `create table blob_pieces (
    workflow_id text not null,
    digest text not null,
    data bytea not null,
    primary key (workflow_id, digest)
  )`,
] as const;
