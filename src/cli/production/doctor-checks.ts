import { Connection } from '@temporalio/client';
import { Kysely, sql } from 'kysely';
import { z } from 'zod';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/load-config.ts';
import { requireSearchAttributes } from '../../process/search-attributes.ts';
import { setVariables } from '../../process/set-variables.ts';
import { readTemporalTarget } from '../../process/temporal.ts';
import { createPostgresDialect } from '../../store/database/postgres-dialect.ts';
import { SEARCH_ATTRIBUTES } from '../../workflows/search-attributes.ts';

/** One thing that an installation needs. */
export interface DoctorCheck {
  readonly name: string;
  /** @returns what was found. @throws Error that says what is wrong */
  readonly find: () => Promise<string>;
  /** What mends it. */
  readonly mend: string;
}

interface Patient {
  readonly environment: NodeJS.ProcessEnv;
  /** The configuration file; `undefined`: there is none. */
  readonly configFile: string | undefined;
}

/** The checks of an installation; what the environment does not name is not checked. */
export function doctorChecks({ environment, configFile }: Patient): readonly DoctorCheck[] {
  const { DATABASE_URL: database, TEMPORAL_ADDRESS, TEMPORAL_PROFILE } = setVariables(environment);
  const isElsewhere = Boolean(TEMPORAL_ADDRESS ?? TEMPORAL_PROFILE);
  return [
    { name: 'Node', find: findNode, mend: 'install Node 20.20 or later' },
    configurationCheck(configFile),
    ...(database
      ? [databaseCheck(database), memoryCheck(configFile, database), secretCheck(environment), keysCheck(configFile)]
      : []),
    ...(isElsewhere ? [temporalCheck(environment), searchAttributesCheck(environment)] : []),
  ];
}

async function findNode(): Promise<string> {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 20)) throw new Error(`${node} is too old`);
  return node;
}

function configurationCheck(file: string | undefined): DoctorCheck {
  return {
    name: 'configuration',
    mend: 'holdfast init makes a project with one; docs/project.md says how it is written',
    async find() {
      const { tools, models, roles, graphs } = await loadConfig(file);
      const counts = `${tools.length} tools, ${Object.keys(models).length} models, roles ${[...roles.keys()].join(', ')}`;
      return `${file}: ${counts}${graphs === undefined ? '' : `, graphs in ${graphs.folder}`}`;
    },
  };
}

const Now = z.object({ version: z.string(), now: z.coerce.date() });
const MAX_SKEW_MS = 5_000;

function databaseCheck(url: string): DoctorCheck {
  return {
    name: 'database',
    mend: 'set DATABASE_URL to a PostgreSQL that runs, and the clocks by NTP',
    find: async () =>
      await withDatabase(url, async (db) => {
        const { rows } = await sql`select current_setting('server_version') as version, now() as now`.execute(db);
        const { version, now } = Now.parse(rows[0]);
        const skewMs = Math.abs(now.getTime() - Date.now());
        if (skewMs > MAX_SKEW_MS) throw new Error(`its clock and that of this machine differ by ${skewMs} ms`);
        return `PostgreSQL ${version}`;
      }),
  };
}

const Extension = z.object({ version: z.string() });

function memoryCheck(file: string | undefined, url: string): DoctorCheck {
  return {
    name: 'memory',
    mend: 'install pgvector (https://github.com/pgvector/pgvector); its administrator runs: create extension vector',
    async find() {
      const { embeddings } = (await loadConfig(file)).memory;
      if (!embeddings) return 'found by its words: memory.embeddings is not set';
      return await withDatabase(url, async (db) => {
        const { rows } = await sql`
          select coalesce(installed_version, default_version) as version
          from pg_available_extensions where name = 'vector'
        `.execute(db);
        const found = Extension.safeParse(rows[0]);
        if (!found.success)
          throw new Error('The database has no extension "vector", so memory is not found by meaning');
        return `found by meaning: ${embeddings.model}, pgvector ${found.data.version}`;
      });
    },
  };
}

async function withDatabase(url: string, use: (db: Kysely<object>) => Promise<string>): Promise<string> {
  const db = new Kysely<object>({ dialect: createPostgresDialect(url, { maxConnections: 1 }) });
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

function secretCheck({ HOLDFAST_CURSOR_SECRET: secret }: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: 'cursor secret',
    mend: 'set HOLDFAST_CURSOR_SECRET to a long random text, the same for every API process: openssl rand -base64 32',
    async find() {
      if (!secret) throw new Error('HOLDFAST_CURSOR_SECRET is not set');
      return 'set';
    },
  };
}

const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

function keysCheck(file: string | undefined): DoctorCheck {
  return {
    name: 'token keys',
    mend: 'set auth in the configuration: issuer, audience and jwksUrl of your OpenID Connect provider',
    async find() {
      const { auth }: Pick<Config, 'auth'> = await loadConfig(file);
      if (!auth) throw new Error('The configuration has no auth section');
      const response = await fetch(auth.jwksUrl, { signal: AbortSignal.timeout(WITHIN_MS) });
      const { keys } = Keys.parse(await response.json());
      return `${keys.length} at ${auth.jwksUrl}`;
    },
  };
}

const WITHIN_MS = 5_000;

function temporalCheck(environment: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: 'Temporal',
    mend: 'set TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE; temporal operator namespace create makes a namespace',
    find: async () =>
      await withTemporal(environment, async (connection, namespace) => {
        await connection.workflowService.describeNamespace({ namespace });
        return `${connection.options.address}, namespace ${namespace}`;
      }),
  };
}

function searchAttributesCheck(environment: NodeJS.ProcessEnv): DoctorCheck {
  return {
    name: 'search attributes',
    mend: 'API and workers make them when they start, if Temporal lets them',
    find: async () =>
      await withTemporal(environment, async (connection, namespace) => {
        await requireSearchAttributes({ connection, namespace }, SEARCH_ATTRIBUTES);
        return Object.keys(SEARCH_ATTRIBUTES).join(', ');
      }),
  };
}

async function withTemporal<T>(
  environment: NodeJS.ProcessEnv,
  use: (connection: Connection, namespace: string) => Promise<T>,
): Promise<T> {
  const { options, namespace } = readTemporalTarget(environment);
  const connection = await Connection.connect({ connectTimeout: WITHIN_MS, ...options });
  try {
    return await connection.withDeadline(Date.now() + WITHIN_MS, async () => await use(connection, namespace));
  } finally {
    await connection.close();
  }
}
