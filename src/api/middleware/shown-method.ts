const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Names a method for metrics and spans (OpenTelemetry): an unknown one is `_OTHER`, because strangers choose it. */
export function shownMethod(method: string): string {
  return METHODS.has(method) ? method : '_OTHER';
}
