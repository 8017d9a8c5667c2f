import { mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { messageOf } from '../graph/values/index.ts';
import { isMain } from '../process/own-code.ts';
import { numberField, textField, runTicket } from './demo/run-ticket.ts';
import type { TicketResult } from './demo/run-ticket.ts';
import { createClient, readTicketCases } from './demo/ticket.ts';
import type { TicketCase } from './demo/ticket.ts';
import { formatReport, createReport } from './demo/report.ts';
import { startDemoServices } from './demo-services.ts';
import { lockFolder } from './data-folder.ts';
import { startStack } from './stack.ts';
import type { Stack } from './stack.ts';
import { handleStopSignals } from './start.ts';
import { stopOrphanOf } from './temporal-server.ts';

const DEMO_DATA_DIR = join('.holdfast', 'demo');
const PARALLEL_RUNS = 6;

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs the refund triage for the bundled tickets. @returns the exit code: 0 if every run ended as expected */
async function runDemo(): Promise<number> {
  const { values } = parseArgs({ options: { stay: { type: 'boolean', default: false } } });
  const stopOnSignals = handleStopSignals();
  await emptyFolder(DEMO_DATA_DIR);
  printLine('Starting the stack …');
  const stack = await startStack({
    dataDir: DEMO_DATA_DIR,
    environment: process.env,
    services: startDemoServices,
    say: printLine,
  });
  stopOnSignals(stack);
  try {
    const cases = await readTicketCases();
    const rows = await createReport(
      cases,
      await runAll(stack, cases),
      createClient(process.env['SHOP_URL'] ?? '', shopToken()),
    );
    printLine(`\n${formatReport(rows)}\n`);
    printLine(describeAddresses(stack, rows[0]?.runId ?? '', values.stay));
    if (values.stay) await new Promise(() => {});
    return rows.length === cases.length && rows.every(({ differences }) => differences.length === 0) ? 0 : 1;
  } finally {
    await stack.stop();
  }
}

async function runAll({ baseUrl, tokens }: Stack, cases: readonly TicketCase[]): Promise<readonly TicketResult[]> {
  const user = createClient(baseUrl, tokens.user);
  const approver = createClient(baseUrl, tokens.approver);
  const definition = await readFile(fileURLToPath(new URL('../../graphs/refund-triage.json', import.meta.url)), 'utf8');
  const published = await user.post('/api/graphs', JSON.parse(definition));
  const graph = textField(published, 'name');
  printLine(
    `Published ${graph}, version ${numberField(published, 'version')}. Running it over ${cases.length} tickets:\n`,
  );
  const waiting = [...cases];
  const results: TicketResult[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      results.push(await runTicket({ graph, user, approver, say: printLine }, next));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_RUNS }, work));
  return results;
}

/** @throws Error if another demo uses the folder */
async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(folder);
  unlock();
  await stopOrphanOf(resolve(folder, 'temporal.db'));
  await rm(folder, { recursive: true });
}

/** The shop's key, from the header that its tools send. */
function shopToken(): string {
  return (process.env['SHOP_AUTHORIZATION'] ?? '').replace(/^Bearer /, '');
}

function describeAddresses({ baseUrl, uiUrl, tokens }: Stack, runId: string, stays: boolean): string {
  const again = stays ? 'Until Ctrl-C:' : `To look closer: npm start -- --data-dir ${DEMO_DATA_DIR}`;
  return `${again}
  a run            curl -H "authorization: Bearer $TOKEN" ${baseUrl}/api/runs/${runId}
  its history      ${baseUrl}/api/runs/${runId}/history
  the inbox        ${baseUrl}/api/approvals
  API description  ${baseUrl}/docs
  Temporal Web UI  ${uiUrl}/namespaces/default/workflows/run:demo:${runId}
  TOKEN            ${tokens.user}`;
}

if (isMain(import.meta.url)) {
  // The output was closed, so nothing reads the rest.
  process.stdout.once('error', () => process.exit(1));
  const code = await runDemo().catch((error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    return 1;
  });
  process.exit(code);
}
