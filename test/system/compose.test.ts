import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choosePort } from '../../src/dev/ports.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { listen } from '../../src/process/listen.ts';
import { compose } from '../support/deployment/composed.ts';
import type { ComposedService, Machine } from '../support/deployment/composed.ts';
import { readEnvFile, readServices } from '../support/deployment/compose-file.ts';
import { readImageFiles } from '../support/deployment/image-files.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { readFile } from '../support/readers/documentation.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { startKillableTemporal } from '../support/servers/killable-temporal.ts';
import { FIRST_PORT } from '../support/servers/ports.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';

/*
 * Runs the demo of the Compose file: each Holdfast service as a process, with its command, environment and health
 * check.
 */

/** Characters that must be escaped in a URL. */
const PASSWORD = 'p@ss:w/rd#%41&? +';
const VARIABLES: Readonly<Record<string, string>> = { ...readEnvFile('deploy/demo.env'), POSTGRES_PASSWORD: PASSWORD };
const SERVICES = Object.entries(readServices(VARIABLES)).filter(([, { build }]) => build !== undefined);
const STARTED = ['issuer', 'model', 'shop', 'api', 'worker'];

const teardown = openTeardown();
let machine: Machine;
let setup: ComposedService;
let composed: ReadonlyMap<string, ComposedService>;
beforeAll(async () => {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-compose-'));
  teardown.add(() => rm(root, { recursive: true, force: true }));
  const { environment, command } = readImageFiles();
  const [folder, places] = await Promise.all([assembleImage(root), startThirdParties(root)]);
  machine = { folder, imageEnvironment: environment, imageCommand: command, variables: VARIABLES, places };
  setup = start('setup');
  await setup.ended();
  composed = new Map(STARTED.map((name) => [name, start(name)]));
}, 900_000);
afterAll(async () => await teardown.run(), 120_000);

/** The folder of the image: the files that the Dockerfile copies from a built project. */
async function assembleImage(root: string): Promise<string> {
  await promisify(execFile)('npm', ['run', 'build'], { cwd: resolve('.') });
  const folder = join(root, 'app');
  await mkdir(join(folder, 'data'), { recursive: true });
  for (const path of readImageFiles().copied) {
    if (path === 'node_modules') await symlink(resolve(path), join(folder, path));
    else if (path.endsWith('*')) await copyAll(path, folder);
    else if (path !== 'data' && path !== 'tools') await cp(path, join(folder, path), { recursive: true });
  }
  return folder;
}

async function copyAll(pattern: string, folder: string): Promise<void> {
  const found = (await readdir('.')).filter((name) => name.startsWith(pattern.slice(0, -1)));
  await Promise.all(found.map((name) => cp(name, join(folder, name))));
}

/**
 * Starts the services that Compose runs from third-party images.
 * @returns the addresses in the file, and where they are here
 */
async function startThirdParties(root: string): Promise<Machine['places']> {
  const [postgres, temporal] = await Promise.all([startPostgres(), startKillableTemporal(root, teardown)]);
  teardown.add(() => postgres.stop());
  await postgres.query(`create role holdfast login password '${PASSWORD}'`);
  await postgres.query('create database holdfast owner holdfast');
  await postgres.query(`do $$ begin
    execute format('copy (select unnest(array[%L, %L])) to %L', 'host all holdfast all scram-sha-256',
      'host all all all trust', current_setting('hba_file'));
    perform pg_reload_conf();
  end $$`);
  const collector = await listen({ fetch: () => new Response() }, { port: 0 });
  teardown.add(() => collector.stop());
  const doors = ['issuer:3004', 'model:3005', 'shop:3006', 'api:3000', 'worker:3001', 'worker:3002'];
  const chosen: [string, string][] = [];
  let next = FIRST_PORT + 10;
  for (const there of doors) {
    const here = await choosePort(there, undefined, next);
    chosen.push([there, `127.0.0.1:${here}`]);
    next = here + 1;
  }
  return new Map([
    ['postgres:5432', new URL(postgres.url).host],
    ['temporal:7233', temporal.address],
    ['collector:4318', new URL(collector.url).host],
    ...chosen,
  ]);
}

function start(name: string): ComposedService {
  const [, service] = SERVICES.find(([each]) => each === name) ?? [];
  if (!service) throw new Error(`There is no service ${name}`);
  const started = compose(name, service, machine);
  teardown.add(() => started.stop());
  return started;
}

const addressOf = (there: string): string => `http://${machine.places.get(there)}`;

test('the setup service of Docker Compose creates what is missing and exits', async () => {
  expect([await setup.ended(), setup.words()]).toEqual([0, expect.stringMatching(/made {5}tables: /)]);
});

test('each service of Docker Compose becomes healthy', async () => {
  expect([...composed.keys(), 'setup'].sort()).toEqual(SERVICES.map(([name]) => name).sort());
  await Promise.all([...composed.values()].map(async (each) => await each.untilHealthy()));
}, 300_000);

test('the graph published by Docker Compose refunds an order, for a token of the local issuer', async () => {
  const { body: tokens } = await createApiClient(addressOf('issuer:3004'), null).get('/tokens');
  const user = createApiClient(textAt(tokens, '/baseUrl'), textAt(tokens, '/user'));
  const ticket: unknown = JSON.parse(readFile('graphs/refund-triage/tickets.jsonl').split('\n')[0] ?? '');
  const { status, body } = await user.post('/api/runs', { graph: 'refund-triage', input: { ticket } });
  expect({ status, body }).toMatchObject({ status: 201 });
  const run = await user.untilRun(textAt(body, '/id'), hasStatus('completed'), 60_000);
  expect(at(run, '/error')).toBeNull();
  const refunds = await fetch(new URL('/refunds?order=A-1001', addressOf('shop:3006')), {
    headers: { authorization: VARIABLES['SHOP_AUTHORIZATION'] ?? '' },
  });
  expect(await refunds.json()).toMatchObject({ refunds: [{ order: 'A-1001' }] });
}, 120_000);

test('the services of Docker Compose stop in order, and have written only to their data folder', async () => {
  const codes = await Promise.all([...composed.values()].map(async (each) => [each.name, await each.stop()]));
  expect(codes).toEqual(STARTED.map((name) => [name, 0]));
  const image = new Set(readImageFiles().copied.map((path) => path.split('/')[0]));
  const written = (await readdir(machine.folder)).filter(
    (name) => !image.has(name) && !name.startsWith('holdfast.config.'),
  );
  expect(written).toEqual([]);
}, 120_000);
