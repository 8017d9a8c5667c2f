import type { OptionalText, Time } from '../database/columns.ts';

/** Who has done what over HTTP. Rows outlive what they tell of. */
export interface AuditTable {
  id: string;
  at: Time;
  /** The tenant of the thing. */
  tenant_id: string;
  action: string;
  /** The id or name of the thing; `null`: there is none. */
  subject: OptionalText;
  run_id: OptionalText;
  acted_by: string;
  acted_by_tenant: string;
  roles: readonly string[];
  request_id: string;
}
