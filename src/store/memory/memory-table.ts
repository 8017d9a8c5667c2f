import type { OptionalTime, Payload, Time } from '../database/columns.ts';

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
}
