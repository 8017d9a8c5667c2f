import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import type { WorkflowClient } from '@temporalio/client';
import { createClient, readTicketCases } from '../../src/dev/demo/ticket.ts';
import { runTicket } from '../../src/dev/demo/run-ticket.ts';
import { startDemoServices } from '../../src/dev/demo-services.ts';
import { startStack } from '../../src/dev/stack.ts';
import type { Stack } from '../../src/dev/stack.ts';
import { openPostgresStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import { executionsOf } from '../support/readers/executions.ts';
import type { History } from '../support/readers/executions.ts';
import { writeRecording } from '../support/readers/recordings.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import { LANGUAGE_RUNS } from './language-runs.ts';
import { playLanguageRun } from './play-language-run.ts';
import { playRecordedRun } from './play-recorded-run.ts';
import { recordCanceledFire, recordFire } from './record-fire.ts';
import { CONTINUED_RUNS, RECORDED_RUNS } from './recorded-runs.ts';
import type { RecordedRun } from './recorded-runs.ts';

/*
 * Records the histories of runs that together use all of the language, and of one run for each route that the demo's
 * tickets take: `npm run record-histories`, or `npm run record-histories -- <name>…` for some (`demo`: the demo's). A
 * history that is released is never recorded over.
 */

const FOLDER = fileURLToPath(new URL('./histories/', import.meta.url));
const CONFIG = fileURLToPath(new URL('./recording.config.ts', import.meta.url));
const OFTEN = fileURLToPath(new URL('./recording-often.config.ts', import.meta.url));

const names = process.argv.slice(2);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Studio {
  readonly stack: Stack;
  readonly workflow: WorkflowClient;
  readonly record: (name: string, histories: readonly History[]) => Promise<void>;
}

/** @param config a file; without one, that of the demo */
async function inStudio(config: string | undefined, play: (studio: Studio) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-histories-'));
  const postgres = await startPostgres();
  const DATABASE_URL = await postgres.createDatabase('holdfast');
  // The demo's configuration reads where its shop is from the environment of the process.
  const environment = Object.assign(process.env, { DATABASE_URL });
  const ports = { port: 0, temporalPort: 0, uiPort: 0 };
  const stack = await startStack({ config, dataDir, ...ports, environment, services: startDemoServices, say });
  const store: Store = await openPostgresStore(DATABASE_URL);
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    const record: Studio['record'] = async (name, histories) => {
      await writeRecording(name, { histories, blobs: store.blobs });
      say(name);
    };
    await play({ stack, workflow: new Client({ connection }).workflow, record });
  } finally {
    await connection.close();
    await store.close();
    await stack.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function recordAll(
  { stack, workflow, record }: Studio,
  runs: readonly RecordedRun[],
  prefix = '',
): Promise<void> {
  const client = createApiClient(stack.baseUrl, stack.tokens.admin);
  for (const run of runs) await record(`${prefix}${run.name}`, await playRecordedRun({ client, workflow }, run));
}

const FIRES = { fired: recordFire, 'fired-and-canceled': recordCanceledFire } as const;

async function recordFires({ stack, workflow, record }: Studio, name: keyof typeof FIRES): Promise<void> {
  const client = createApiClient(stack.baseUrl, stack.tokens.admin);
  await record(name, await FIRES[name](client, workflow));
}

async function recordDemo({ stack, workflow, record }: Studio): Promise<void> {
  const admin = createClient(stack.baseUrl, stack.tokens.admin);
  for (const run of LANGUAGE_RUNS)
    await record(`language-${run.name}`, await executionsOf(workflow, await playLanguageRun(admin, run)));
  const user = createClient(stack.baseUrl, stack.tokens.user);
  const approver = createClient(stack.baseUrl, stack.tokens.approver);
  const routes = new Set<string>();
  for (const ticket of await readTicketCases()) {
    const { route, runId, ticketId } = await runTicket({ graph: 'refund-triage', user, approver, say }, ticket);
    if (routes.has(route.join(' '))) continue;
    routes.add(route.join(' '));
    await record(`refund-triage-${ticketId}`, await executionsOf(workflow, runId));
  }
}

const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);
const wanted = RECORDED_RUNS.filter(({ name }) => isWanted(name));
const continued = CONTINUED_RUNS.filter(({ name }) => isWanted(name));

if (names.length === 0) await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
if (isWanted('demo')) await inStudio(undefined, recordDemo);
if (wanted.length > 0) await inStudio(CONFIG, async (studio) => await recordAll(studio, wanted));
for (const name of ['fired', 'fired-and-canceled'] as const)
  if (isWanted(name)) await inStudio(CONFIG, async (studio) => await recordFires(studio, name));
if (continued.length > 0) await inStudio(OFTEN, async (studio) => await recordAll(studio, continued, 'continued-'));
process.exit();
