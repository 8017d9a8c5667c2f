import { isJsonList, isJsonObject } from '../../graph/values/index.ts';
import type { Client, TicketCase } from './ticket.ts';
import type { TicketResult } from './run-ticket.ts';

/** One row of the final table. */
export interface ReportRow {
  readonly ticketId: string;
  readonly outcome: string;
  /** Refunds by the shop for the run, in USD. */
  readonly refunded: number;
  readonly runId: string;
  /** Deviations from the expected result; empty if there are none. */
  readonly differences: readonly string[];
}

/** Compares results with expectations; the refunds come from the shop. */
export async function createReport(
  cases: readonly TicketCase[],
  results: readonly TicketResult[],
  shop: Client,
): Promise<readonly ReportRow[]> {
  const paid = await countRefunds(shop);
  return cases.flatMap(({ ticket, expected }) => {
    const result = results.find(({ ticketId }) => ticketId === ticket.id);
    if (!result) return [];
    const { outcome, runId, status } = result;
    const refunded = paid.filter(({ key }) => key.startsWith(runId)).reduce((sum, { cents }) => sum + cents, 0) / 100;
    const differences = [
      ...(status === 'completed' ? [] : [`the run ${status}`]),
      ...(outcome === expected.outcome ? [] : [`expected ${expected.outcome}`]),
      ...(refunded === expected.refunded ? [] : [`expected ${expected.refunded} USD`]),
    ];
    return [{ ticketId: ticket.id, outcome, refunded, runId, differences }];
  });
}

interface PaidRefund {
  /** The idempotency key, which begins with the run's id. */
  readonly key: string;
  readonly cents: number;
}

async function countRefunds(shop: Client): Promise<readonly PaidRefund[]> {
  const { refunds } = await shop.get('/refunds');
  return (isJsonList(refunds) ? refunds : []).flatMap((refund) => {
    if (!isJsonObject(refund) || typeof refund['key'] !== 'string' || typeof refund['amount'] !== 'number') return [];
    return [{ key: refund['key'], cents: Math.round(refund['amount'] * 100) }];
  });
}

/** Formats the table, with totals. */
export function formatReport(rows: readonly ReportRow[]): string {
  const lines = rows.map(({ ticketId, outcome, refunded, runId, differences }) => {
    const note = differences.length === 0 ? 'as expected' : `NOT AS EXPECTED: ${differences.join(', ')}`;
    return `${ticketId.padEnd(7)} ${outcome.padEnd(18)} ${refunded.toFixed(2).padStart(9)}  ${runId}  ${note}`;
  });
  const total = rows.reduce((sum, { refunded }) => sum + Math.round(refunded * 100), 0) / 100;
  const good = rows.filter(({ differences }) => differences.length === 0).length;
  const head = `${'ticket'.padEnd(7)} ${'outcome'.padEnd(18)} ${'USD'.padStart(9)}  run`;
  return [
    head,
    ...lines,
    '',
    `${good} of ${rows.length} runs ended as expected; ${total.toFixed(2)} USD were refunded.`,
  ].join('\n');
}
