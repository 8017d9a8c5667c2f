import type { Tenant } from 'holdfast/client';

type Limit = Tenant['quotas'][keyof Tenant['quotas']];

const SOURCES: Readonly<Record<Limit['source'], string>> = {
  admin: 'says an administrator',
  tenant: 'says the configuration of the tenant',
  all: 'says the configuration of all tenants',
  none: 'as nobody says anything',
};

/** Says a limit and who has laid it down: "60, says an administrator". */
export function tellLimit({ limit, source }: Limit): string {
  return `${limit ?? 'no limit'}, ${SOURCES[source]}`;
}
