import { readFile } from 'node:fs/promises';
import type { Json } from '../../../src/graph/values/json.ts';
import { hasStatus, startRun } from '../readers/api-runs.ts';
import type { AskingRun } from '../readers/api-runs.ts';
import type { ApiClient } from '../readers/api-client.ts';
import { at, textAt } from '../readers/json-at.ts';

const TICKETS = new URL('../../../graphs/refund-triage/tickets.jsonl', import.meta.url);

/** Tickets whose refunds exceed the limit, so that they need an approval. Each order is refunded once. */
export type TicketId = 'T-03' | 'T-04' | 'T-05' | 'T-06';

/** Starts a run of the refund desk for a ticket of the demo, and waits until it requests an approval. */
export async function startRefund(user: ApiClient, ticket: TicketId): Promise<AskingRun> {
  const lines = (await readFile(TICKETS, 'utf8')).trim().split('\n');
  const tickets = lines.map((line): Json => JSON.parse(line));
  const chosen = tickets.find((one) => at(one, '/id') === ticket) ?? null;
  const runId = textAt(await startRun(user, 'refund-triage', { ticket: chosen }), '/id');
  const run = await user.untilRun(runId, hasStatus('waiting'));
  return { runId, approvalId: textAt(run, '/waitingFor/0/id') };
}
