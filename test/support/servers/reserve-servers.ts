import { Client } from 'pg';
import { inject } from 'vitest';

/** The servers that `shared-servers.ts` has started. */
interface Servers {
  readonly temporalAddress: string;
  readonly postgresUrl: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    servers: Servers | undefined;
  }
}

/** A server has its namespaces from the start; each stack uses one of them. */
export const NAMESPACES = Array.from({ length: 64 }, (_, at) => namespaceOf(at + 1));
/** The template of the other databases. */
export const TEMPLATE = 'template_of_tests';
/** The sequence that counts the used namespaces and databases. */
export const RESERVATIONS = 'places_of_tests';

/**
 * Reserves a namespace and a database on the shared servers; the database has our tables.
 * @returns the variables for both; empty in projects whose files start their own servers
 */
export async function reserveServers(): Promise<NodeJS.ProcessEnv> {
  const servers = inject('servers');
  if (!servers) return {};
  const client = new Client({ connectionString: servers.postgresUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ number: string }>(`select nextval('${RESERVATIONS}') as number`);
    const name = namespaceOf(Number(rows[0]?.number));
    await client.query(`create database "${name}" template ${TEMPLATE}`);
    const url = new URL(servers.postgresUrl);
    url.pathname = `/${name}`;
    return { TEMPORAL_ADDRESS: servers.temporalAddress, TEMPORAL_NAMESPACE: name, DATABASE_URL: url.href };
  } finally {
    await client.end();
  }
}

/** The address of the shared Temporal server; `null` in projects whose files start their own servers. */
export function sharedTemporal(): string | null {
  return inject('servers')?.temporalAddress ?? null;
}

function namespaceOf(number: number): string {
  return `place-${number}`;
}
