import type { ColumnType } from 'kysely';
import type { OptionalText, OptionalTime, Payload, Time } from '../database/columns.ts';

/** Values that outlive runs. */
export interface MemoryTable {
  tenant_id: string;
  namespace: string;
  key: string;
  value: Payload;
  /** What the entry is found by. */
  words: string;
  created_at: Time;
  updated_at: Time;
  updated_by: string;
  updated_run: string | null;
  expires_at: OptionalTime;
  /** The model whose vector of the words is kept; `null`: there is none, or it is of other words. */
  embedded_by: OptionalText;
  /** Until then somebody else makes the vector, or it is pointless to try. */
  embed_after: ColumnType<Date, Date | string, Date | string>;
}

/** What entries mean. The table is made when a model is configured: its database needs an extension for it. */
export interface MemoryVectorsTable {
  tenant_id: string;
  namespace: string;
  key: string;
  /** As pgvector writes it: `[0.1,0.2]`. */
  vector: string;
}
