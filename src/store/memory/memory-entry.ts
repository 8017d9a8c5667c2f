import type { Selectable } from 'kysely';
import type { Json } from '../../graph/values/index.ts';
import type { MemoryTable } from './memory-table.ts';

/** A value that outlives runs. */
export interface MemoryEntry {
  readonly namespace: string;
  readonly key: string;
  readonly value: Json;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** From then on it is not there; `null`: it stays. */
  readonly expiresAt: string | null;
  /** The subject that wrote it last. */
  readonly by: string;
  /** The run that wrote it last; `null`: a request did. */
  readonly runId: string | null;
}

export interface MemoryKey {
  readonly tenantId: string;
  readonly namespace: string;
  readonly key: string;
}

/** Which entries of a namespace a list has. */
export interface MemoryFilter {
  readonly tenantId: string;
  readonly namespace: string;
  /** What their keys begin with. */
  readonly prefix: string;
}

export type MemoryRow = Selectable<MemoryTable>;

export function toEntry({
  namespace,
  key,
  value,
  created_at,
  updated_at,
  expires_at,
  updated_by,
  updated_run,
}: MemoryRow): MemoryEntry {
  return {
    namespace,
    key,
    value,
    createdAt: created_at.toISOString(),
    updatedAt: updated_at.toISOString(),
    expiresAt: expires_at?.toISOString() ?? null,
    by: updated_by,
    runId: updated_run,
  };
}
