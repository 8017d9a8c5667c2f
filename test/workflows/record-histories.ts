import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createClient } from '../../src/dev/demo/client.ts';
import { runTicket } from '../../src/dev/demo/run-ticket.ts';
import { readCases } from '../../src/dev/demo/ticket.ts';
import { startStack } from '../../src/dev/stack.ts';
import { toWorkflowId } from '../../src/workflows/contract.ts';
import { LANGUAGE_RUNS } from './language-runs.ts';
import { playLanguageRun } from './play-language-run.ts';

/*
 * Records the history of one run for each route that the demo's tickets take, and of runs that use the rest of the
 * language: `npm run record-histories`. What is recorded
 * for an interpreter version stays as it is; a new version is recorded into a folder of its own.
 */

const VERSION = 'v1';
const FOLDER = fileURLToPath(new URL(`histories/${VERSION}/`, import.meta.url));

const dataDir = await mkdtemp(join(tmpdir(), 'holdfast-histories-'));
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const stack = await startStack({ dataDir, port: 0, temporalPort: 0, uiPort: 0, environment: process.env, say });
const connection = await Connection.connect({ address: stack.temporalAddress });
try {
  await mkdir(FOLDER, { recursive: true });
  const { workflow } = new Client({ connection });
  const [user, approver] = [stack.tokens.user, stack.tokens.approver].map((token) =>
    createClient(stack.baseUrl, token),
  );
  if (!user || !approver) throw new TypeError('The stack gave no tokens');
  const admin = createClient(stack.baseUrl, stack.tokens.admin);
  const record = async (name: string, id: string): Promise<void> => {
    const history = await workflow.getHandle(toWorkflowId({ tenantId: 'demo', id })).fetchHistory();
    await writeFile(join(FOLDER, `${name}.json`), `${historyToJSON(history)}\n`);
  };
  for (const run of LANGUAGE_RUNS) await record(`language-${run.name}`, await playLanguageRun(admin, run));
  const routes = new Set<string>();
  for (const ticket of await readCases()) {
    const { route, runId, ticketId } = await runTicket({ graph: 'refund-triage', user, approver, say }, ticket);
    if (routes.has(route.join(' '))) continue;
    routes.add(route.join(' '));
    await record(`refund-triage-${ticketId}`, runId);
  }
  say(`${routes.size + LANGUAGE_RUNS.length} histories are in ${FOLDER}`);
} finally {
  await connection.close();
  await stack.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();
