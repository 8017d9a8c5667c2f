/** A request that a button sends. */
export interface ShownRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its first slash and its query. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes a request as a command for a shell. `$TOKEN` stands for the token, which is not in it. */
export function toCurl(origin: string, { method, path, body, headers = {} }: ShownRequest): string {
  const sent = { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) };
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quote(`${origin}${path}`)}`,
    '-H "authorization: Bearer $TOKEN"',
    ...Object.entries(sent).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** A word that a POSIX shell takes as it is. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
