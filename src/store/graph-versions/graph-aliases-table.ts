import type { Time } from '../database/columns.ts';

/** Names for versions. */
export interface GraphAliasesTable {
  tenant_id: string;
  name: string;
  alias: string;
  version: number;
  canary_version: number | null;
  /** The part of runs that get the canary, from 0 to 1. */
  canary_share: number | null;
  updated_at: Time;
  updated_by: string;
}
