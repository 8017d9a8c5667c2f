/** A request that a button sends. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, beginning with a slash. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Formats a request as a shell command. It contains `$TOKEN` in place of the token. */
export function toCurl(origin: string, { method, path, body, headers = {} }: ApiRequest): string {
  const sent = { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) };
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quote(`${origin}${path}`)}`,
    '-H "authorization: Bearer $TOKEN"',
    ...Object.entries(sent).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
