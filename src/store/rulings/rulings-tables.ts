import type { CatalogKind } from '../../graph/definition/index.ts';
import type { OptionalText, OptionalTime, Payload, Time } from '../database/columns.ts';

/** The things that can be switched off. */
export type SwitchKind = CatalogKind;

/** Things that administrators have switched off, or on again. */
export interface SwitchesTable {
  kind: SwitchKind;
  name: string;
  state: 'on' | 'off';
  reason: string;
  /** The tenants for which it is off; `null`: for all. */
  tenants: readonly string[] | null;
  changed_at: Time;
  changed_by: string;
}

/** What administrators say of a tenant's quotas: `null` lifts one; of what is absent, the configuration counts. */
export interface QuotaTerms {
  readonly runsPerMinute?: number | null;
  readonly costUsdPerDay?: number | null;
}

/** What administrators have laid down for tenants. */
export interface TenantTermsTable {
  tenant_id: string;
  quota: Payload<QuotaTerms>;
  /** Set while the tenant may start no runs. */
  suspended_at: OptionalTime;
  suspended_reason: OptionalText;
  changed_at: Time;
  changed_by: string;
}
