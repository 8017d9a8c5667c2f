import { isJsonObject, isJsonList } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import type { Client, Decision, TicketCase } from './ticket.ts';

/** Result of a ticket's run. */
export interface TicketResult {
  readonly ticketId: string;
  readonly runId: string;
  readonly status: string;
  readonly outcome: string;
  /** The visited nodes. */
  readonly route: readonly string[];
}

interface TicketDeps {
  readonly graph: string;
  readonly user: Client;
  readonly approver: Client;
  readonly say: (line: string) => void;
}

/** Runs the graph for one ticket to its end. The bundled expectations contain the approver's decisions. */
export async function runTicket(
  { graph, user, approver, say }: TicketDeps,
  { ticket, expected }: TicketCase,
): Promise<TicketResult> {
  const started = await user.post('/api/runs', { graph, input: { ticket }, metadata: { ticket: ticket.id } });
  const runId = textField(started, 'id');
  const decisions = [...expected.decisions];
  const decided = new Set<string>();
  for (;;) {
    const run = await user.get(`/api/runs/${runId}`, { prefer: 'wait=30' });
    const status = textField(run, 'status');
    if (['completed', 'failed', 'canceled'].includes(status))
      return await finishTicket({ ticketId: ticket.id, runId, status, run }, user, say);
    for (const waiting of listField(run, 'waitingFor')) {
      const node = textField(waiting, 'node');
      const id = textField(waiting, 'id');
      if (decided.has(id)) continue;
      if (textField(waiting, 'kind') !== 'approval')
        throw new Error(`${ticket.id}: node ${node} waits for an ${textField(waiting, 'kind')}`);
      const decision = decisions.shift();
      if (decision?.node !== node) throw new Error(`${ticket.id}: no decision is expected at ${node}`);
      say(`${ticket.id}  waits for approval at ${node}; ${describeDecision(decision)}`);
      await approver.post(`/api/approvals/${id}/decision`, toDecisionBody(decision));
      decided.add(id);
    }
  }
}

function toDecisionBody({ decision, reason, args, values }: Decision): JsonObject {
  return { decision, reason, ...(args !== undefined && { args }), ...(values !== undefined && { values }) };
}

function describeDecision({ decision, reason, args }: Decision): string {
  const changed = args === undefined ? '' : ` with ${JSON.stringify(args)}`;
  return `ada ${decision === 'approve' ? `approves${changed}` : 'rejects'}: ${reason}`;
}

interface EndedRun extends Pick<TicketResult, 'ticketId' | 'runId' | 'status'> {
  readonly run: JsonObject;
}

async function finishTicket(
  { ticketId, runId, status, run }: EndedRun,
  user: Client,
  say: (line: string) => void,
): Promise<TicketResult> {
  const state = await user.get(`/api/runs/${runId}/state`);
  const route = listField(state, 'visited').map(String);
  const output = isJsonObject(run['output']) ? run['output'] : {};
  const outcome = typeof output['outcome'] === 'string' ? output['outcome'] : status;
  say(`${ticketId}  ${outcome.padEnd(16)}  ${route.join(' → ')}`);
  return { ticketId, runId, status, outcome, route };
}

/* Readers for fields of the API's answers. @throws TypeError if a field has another type */

export function textField(value: Json, field: string): string {
  const found = isJsonObject(value) ? value[field] : undefined;
  if (typeof found !== 'string') throw new TypeError(`An answer has no ${field}`);
  return found;
}

export function numberField(value: Json, field: string): number {
  const found = isJsonObject(value) ? value[field] : undefined;
  if (typeof found !== 'number') throw new TypeError(`An answer has no ${field}`);
  return found;
}

/** A list, empty if the field is missing. */
export function listField(value: JsonObject, field: string): readonly Json[] {
  const found = value[field];
  return isJsonList(found) ? found : [];
}
