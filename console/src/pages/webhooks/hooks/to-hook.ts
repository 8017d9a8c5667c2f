/** The way to the form of a hook. */
export function toHook(id: string): string {
  return `/webhooks/hooks/${encodeURIComponent(id)}`;
}

/** The path of a hook in the API. */
export function hookPath(id: string): string {
  return `/api/hooks/${encodeURIComponent(id)}`;
}
