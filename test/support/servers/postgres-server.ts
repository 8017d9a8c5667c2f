import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { stopChild } from '../../../src/dev/child-process.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import { FIRST_PORT } from './ports.ts';
import { suspendProcessTree, killProcessTree, resumeProcessTree } from './process-family.ts';
import type { Victim } from './victim.ts';

const run = promisify(execFile);

/** A PostgreSQL server of one test, in a temporary folder. */
export interface PostgresServer {
  readonly url: string;
  /** The id of the main process. */
  readonly pid: number;
  /** The server with the processes of its connections. */
  readonly victim: Victim;
  /** Creates an empty database. @returns its URL */
  createDatabase(name: string): Promise<string>;
  /** Backs up a database, as of one moment, into a file. */
  dump(database: string, file: string): Promise<void>;
  /** Replaces a database by the content of a file. */
  restore(database: string, file: string): Promise<void>;
  /** Executes a statement. */
  query(statement: string): Promise<void>;
  stop(): Promise<void>;
}

const STOPS_WITHIN_MS = 20_000;

/**
 * Starts a server. Its binaries refuse to run as root, so root runs them as another user.
 * @param binaries their folder; by default the installed ones
 */
export async function startPostgres(binaries?: string): Promise<PostgresServer> {
  binaries ??= await findBinaries();
  const owner = await findOwner();
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-postgres-'));
  if (owner) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  await run(join(binaries, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync'], {
    ...owner,
    cwd: folder,
  });
  const server = join(binaries, 'postgres');
  let port = 0;
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(server, ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'], {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
    });
    await untilItAnswers(port, child);
    return child;
  };
  const launchAnywhere = async (): Promise<ChildProcess> => {
    port = await choosePort('PostgreSQL', undefined, FIRST_PORT + 20);
    return await launch();
  };
  // Another process may take the free port, so a failed start is repeated.
  let child = await launchAnywhere().catch(launchAnywhere);
  const pid = (): number => child.pid ?? 0;
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const query = async (statement: string): Promise<void> =>
    await withClient(urlOf('postgres'), async (client) => void (await client.query(statement)));
  return {
    url: urlOf('postgres'),
    get pid() {
      return pid();
    },
    victim: {
      kill: async () => await killProcessTree(child),
      stop: async () => await stopChild(child, STOPS_WITHIN_MS, 'SIGINT'),
      async start() {
        child = await launch();
      },
      suspend: async () => void (await suspendProcessTree(pid())),
      resume: async () => await resumeProcessTree(pid()),
    },
    async createDatabase(name) {
      await withClient(urlOf('postgres'), (client) => client.query(`create database "${name}"`));
      return urlOf(name);
    },
    dump: async (database, file) =>
      void (await run(join(binaries, 'pg_dump'), ['--format=custom', '--file', file, urlOf(database)])),
    async restore(database, file) {
      await query(`drop database "${database}" with (force)`);
      await query(`create database "${database}"`);
      await run(join(binaries, 'pg_restore'), ['--exit-on-error', '-d', urlOf(database), file]);
    },
    query,
    async stop() {
      child.kill('SIGINT');
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function findBinaries(): Promise<string> {
  const versions = existsSync('/usr/lib/postgresql')
    ? (await readdir('/usr/lib/postgresql')).map((version) => `/usr/lib/postgresql/${version}/bin`)
    : [];
  const candidates = [...versions, ...(process.env['PATH'] ?? '').split(':')];
  const found = candidates.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
  if (found === undefined)
    throw new Error(
      'No PostgreSQL binaries found: install PostgreSQL 15 or later, or set DATABASE_URL to a server that tests may use',
    );
  return found;
}

async function findOwner(): Promise<{ uid: number; gid: number } | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const { stdout } = await run('getent', ['passwd', 'postgres']).catch(() => run('getent', ['passwd', 'nobody']));
  const [, , uid, gid] = stdout.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function untilItAnswers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended at once (${child.exitCode})`);
    try {
      return await withClient(
        `postgres://postgres@127.0.0.1:${port}/postgres`,
        async (client) => void (await client.query('select 1')),
      );
    } catch (error) {
      if (tries >= 600) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => child.once('exit', resolve));
}
