/** The address of a page of a graph. @param version by default the current one */
export function toGraph(name: string, tab = '', version?: number): string {
  const path = ['/graphs', encodeURIComponent(name), ...(tab === '' ? [] : [tab])].join('/');
  return version === undefined ? path : `${path}?version=${version}`;
}

/** The address of a schedule. */
export function toSchedule(id: string): string {
  return `/schedules/${encodeURIComponent(id)}`;
}

/** The address of a webhook. With the prefix `/api` it is the path in the API. */
export function toWebhook(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`;
}

/** The address of the form of a hook. */
export function toHook(id: string): string {
  return `/webhooks/hooks/${encodeURIComponent(id)}`;
}

/** The path of a hook in the API. */
export function hookPath(id: string): string {
  return `/api/hooks/${encodeURIComponent(id)}`;
}

/** The address of a tenant. It is also its path in the API. */
export function toTenant(id: string): string {
  return `/admin/tenants/${encodeURIComponent(id)}`;
}
