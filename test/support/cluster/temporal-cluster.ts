import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { killChild, stopChild } from '../../../src/dev/child-process.ts';
import { choosePort } from '../../../src/dev/ports.ts';
import type { Teardown } from '../../../src/dev/teardown.ts';
import { createTemporalCheck } from '../../../src/process/search-attributes.ts';
import { SEARCH_ATTRIBUTES } from '../../../src/workflows/contract.ts';
import type { KillableTemporal } from '../servers/killable-temporal.ts';
import { FIRST_PORT } from '../servers/ports.ts';
import type { PostgresServer } from '../servers/postgres-server.ts';
import { provideTemporalBinaries } from './temporal-binaries.ts';
import { toServerConfig } from './temporal-server-config.ts';
import type { Services } from './temporal-server-config.ts';

const run = promisify(execFile);

/** The same dynamic configuration as in docker-compose.yml. */
export const DYNAMIC_CONFIG = fileURLToPath(new URL('../../../deploy/temporal/dynamic-config.yaml', import.meta.url));
const NAMESPACE = 'default';
const DATABASES = { store: 'temporal', visibility: 'temporal_visibility' } as const;
/** The tool's schemas for the two databases. */
const SCHEMAS = { store: 'postgresql/v12/temporal', visibility: 'postgresql/v12/visibility' } as const;

/**
 * Returns a function that starts a Temporal cluster: with PostgreSQL for both of its stores, and more than one shard.
 */
export function temporalOn(
  postgres: PostgresServer,
): (folder: string, teardown: Teardown) => Promise<KillableTemporal> {
  return async (folder, teardown) => {
    const { server, sqlTool } = await provideTemporalBinaries((line) => process.stderr.write(`${line}\n`));
    await Promise.all([makeTables(sqlTool, postgres.url, 'store'), makeTables(sqlTool, postgres.url, 'visibility')]);
    const services = await chooseServices();
    const parts = { services, postgresUrl: postgres.url, databases: DATABASES, dynamicConfig: DYNAMIC_CONFIG };
    await mkdir(join(folder, 'temporal'));
    // JSON is valid YAML.
    await writeFile(join(folder, 'temporal', 'cluster.yaml'), JSON.stringify(toServerConfig(parts)));
    const address = `127.0.0.1:${services.frontend.grpcPort}`;
    let child: ChildProcess;
    const start = async (): Promise<void> => {
      child = await launch(server, folder);
      await untilItAnswers(address, child, folder);
    };
    teardown.add(async () => await killChild(child));
    await start();
    await prepareNamespace(address);
    return {
      address,
      databaseFile: null,
      start,
      kill: async () => await killChild(child),
      stop: async () => await stopChild(child, STOPS_WITHIN_MS),
      suspend: async () => void child.kill('SIGSTOP'),
      resume: async () => void child.kill('SIGCONT'),
    };
  };
}

const STOPS_WITHIN_MS = 20_000;
const READY_WITHIN_MS = 120_000;

async function makeTables(sqlTool: string, postgresUrl: string, of: keyof typeof DATABASES): Promise<void> {
  const { hostname, port, username } = new URL(postgresUrl);
  const env = {
    ...process.env,
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: hostname,
    SQL_PORT: port,
    SQL_USER: username,
    SQL_DATABASE: DATABASES[of],
  };
  for (const command of [['create'], ['setup-schema', '-v', '0.0'], ['update-schema', '--schema-name', SCHEMAS[of]]])
    await run(sqlTool, command, { env, maxBuffer: 64 * 1_048_576 });
}

/** Chooses distinct ports one after the other. */
async function chooseServices(): Promise<Services> {
  let next = FIRST_PORT;
  const choose = async (): Promise<number> => {
    const port = await choosePort('Temporal', undefined, next);
    next = port + 1;
    return port;
  };
  const service = async () => ({ grpcPort: await choose(), membershipPort: await choose() });
  return { frontend: await service(), history: await service(), matching: await service(), worker: await service() };
}

async function launch(server: string, folder: string): Promise<ChildProcess> {
  const log = await open(logIn(folder), 'a');
  const args = ['--root', folder, '--config', 'temporal', '--env', 'cluster', '--allow-no-auth', 'start'];
  const child = spawn(server, args, { stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  return child;
}

function logIn(folder: string): string {
  return join(folder, 'temporal.log');
}

async function untilItAnswers(address: string, child: ChildProcess, folder: string): Promise<void> {
  const isUp = async (): Promise<boolean> => {
    if (child.exitCode === null) return await isDone(address, describe('temporal-system'));
    throw new Error(`The Temporal server ended at once: ${(await readFile(logIn(folder), 'utf8')).slice(-LAST_WORDS)}`);
  };
  await until(isUp, 'the Temporal server answers');
}

const LAST_WORDS = 3_000;

/** Creates the namespace and the search attributes, and waits until the server's services see them. */
async function prepareNamespace(address: string): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs('30 days');
  const make: Request = async ({ workflowService }) =>
    void (await workflowService.registerNamespace({ namespace: NAMESPACE, workflowExecutionRetentionPeriod }));
  await until(async () => await isDone(address, make), 'there is a namespace');
  const check: Request = async (connection) =>
    await createTemporalCheck({ connection, namespace: NAMESPACE }, SEARCH_ATTRIBUTES)();
  await until(async () => await isDone(address, check), 'the namespace has our search attributes');
}

type Request = (connection: Connection) => Promise<unknown>;

const describe =
  (namespace: string): Request =>
  async ({ workflowService }) =>
    await workflowService.describeNamespace({ namespace });

/** Sends a request to the server. @returns whether it succeeded */
async function isDone(address: string, request: Request): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => null);
  if (!connection) return false;
  try {
    await request(connection);
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** @throws after a time-out */
async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + READY_WITHIN_MS; !(await isTrue());) {
    if (Date.now() > deadline) throw new Error(`It takes too long until ${what}`);
    await sleep(100);
  }
}
