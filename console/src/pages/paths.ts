/** The way to a page of a graph. @param version the newest one by default */
export function toGraph(name: string, tab = '', version?: number): string {
  const path = ['/graphs', encodeURIComponent(name), ...(tab === '' ? [] : [tab])].join('/');
  return version === undefined ? path : `${path}?version=${version}`;
}

/** The way to a schedule. */
export function toSchedule(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

/** The way to a webhook. With `/api` before it, it is that of the API. */
export function toWebhook(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`;
}

/** The way to the form of a hook. */
export function toHook(id: string): string {
  return `/webhooks/hooks/${encodeURIComponent(id)}`;
}

/** The path of a hook in the API. */
export function hookPath(id: string): string {
  return `/api/hooks/${encodeURIComponent(id)}`;
}

/** The way to a tenant, in the console as in the API. */
export function toTenant(id: string): string {
  return `/admin/tenants/${encodeURIComponent(id)}`;
}
