import { Client } from 'pg';
import { inject } from 'vitest';
import type { StackOptions } from '../../src/dev/stack.ts';

/** What `shared-servers.ts` has started. */
interface Servers {
  readonly temporalAddress: string;
  readonly postgresUrl: string;
  /** The workflow's code, bundled. */
  readonly workflowFile: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    servers: Servers;
  }
}

/** Where a stack is: with a namespace and a database of its own on the shared servers, or with servers of its own. */
export interface Place extends Pick<StackOptions, 'workflowBundle'> {
  /** The variables that lead there. */
  readonly environment: NodeJS.ProcessEnv;
}

/** A server has its namespaces from the start; each stack takes one. */
export const NAMESPACES = Array.from({ length: 64 }, (_, at) => namespaceOf(at + 1));
/** The database that others are copies of. */
export const TEMPLATE = 'template_of_tests';
/** The sequence that counts the places taken. */
export const PLACES = 'places_of_tests';

/** @returns `null` in projects whose files start their own servers */
export function sharedServers(): Servers | null {
  return inject('servers') ?? null;
}

/** Takes the next place on the shared servers, if there are any; its database has our tables. */
export async function takePlace(): Promise<Place> {
  const servers = sharedServers();
  if (!servers) return { environment: {} };
  const client = new Client({ connectionString: servers.postgresUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ number: string }>(`select nextval('${PLACES}') as number`);
    const name = namespaceOf(Number(rows[0]?.number));
    await client.query(`create database "${name}" template ${TEMPLATE}`);
    const url = new URL(servers.postgresUrl);
    url.pathname = `/${name}`;
    return {
      environment: { TEMPORAL_ADDRESS: servers.temporalAddress, TEMPORAL_NAMESPACE: name, DATABASE_URL: url.href },
      workflowBundle: { codePath: servers.workflowFile },
    };
  } finally {
    await client.end();
  }
}

function namespaceOf(number: number): string {
  return `place-${number}`;
}
