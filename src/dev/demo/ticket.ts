import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const Ticket = z.strictObject({ id: z.string(), from: z.string(), subject: z.string(), body: z.string() });
const Decision = z.strictObject({
  node: z.string(),
  decision: z.enum(['approve', 'reject']),
  reason: z.string(),
  args: z.json().optional(),
  values: z.json().optional(),
});
const Expectation = z.strictObject({
  outcome: z.string(),
  refunded: z.number(),
  decisions: z.array(Decision).default([]),
});

/** A customer's mail. */
export type Ticket = z.output<typeof Ticket>;
/** The expected end of a ticket's run, and the approver's decisions. */
export type Expectation = z.output<typeof Expectation>;
export type Decision = z.output<typeof Decision>;

export interface TicketCase {
  readonly ticket: Ticket;
  readonly expected: Expectation;
}

const bundled = (file: string): string =>
  fileURLToPath(new URL(`../../../graphs/refund-triage/${file}`, import.meta.url));

/** Reads the bundled tickets with their expectations. */
export async function readCases(): Promise<readonly TicketCase[]> {
  const lines = (await readFile(bundled('tickets.jsonl'), 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const expectations = z
    .record(z.string(), Expectation)
    .parse(JSON.parse(await readFile(bundled('expectations.json'), 'utf8')));
  return lines.map((line) => {
    const ticket = Ticket.parse(JSON.parse(line));
    const expected = expectations[ticket.id];
    if (!expected) throw new Error(`Nothing is expected of ticket ${ticket.id}`);
    return { ticket, expected };
  });
}
