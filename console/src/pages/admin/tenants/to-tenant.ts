/** The way to a tenant, in the console as in the API. */
export function toTenant(id: string): string {
  return `/admin/tenants/${encodeURIComponent(id)}`;
}
