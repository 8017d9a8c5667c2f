import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';

const Ticket = z.strictObject({ id: z.string(), from: z.string(), subject: z.string(), body: z.string() });
const Decision = z.strictObject({
  node: z.string(),
  decision: z.enum(['approve', 'reject']),
  reason: z.string(),
  args: z.json().optional(),
  values: z.json().optional(),
});
const ExpectedEnd = z.strictObject({
  outcome: z.string(),
  refunded: z.number(),
  decisions: z.array(Decision).default([]),
});

/** A customer's mail. */
export type Ticket = z.output<typeof Ticket>;
/** The expected end of a ticket's run, and the approver's decisions. */
export type ExpectedEnd = z.output<typeof ExpectedEnd>;
export type Decision = z.output<typeof Decision>;

export interface TicketCase {
  readonly ticket: Ticket;
  readonly expected: ExpectedEnd;
}

const bundledFile = (file: string): string =>
  fileURLToPath(new URL(`../../../graphs/refund-triage/${file}`, import.meta.url));

/** Reads the bundled tickets with their expectations. */
export async function readTicketCases(): Promise<readonly TicketCase[]> {
  const lines = (await readFile(bundledFile('tickets.jsonl'), 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const expectations = z
    .record(z.string(), ExpectedEnd)
    .parse(JSON.parse(await readFile(bundledFile('expectations.json'), 'utf8')));
  return lines.map((line) => {
    const ticket = Ticket.parse(JSON.parse(line));
    const expected = expectations[ticket.id];
    if (!expected) throw new Error(`Nothing is expected of ticket ${ticket.id}`);
    return { ticket, expected };
  });
}

/**
 * Sends requests to the API with a token, and repeats them while the API is unavailable. Every POST has an idempotency
 * key.
 */
export interface Client {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<JsonObject>;
  post(path: string, body: Json): Promise<JsonObject>;
}

const API_GIVE_UP_AFTER_MS = 120_000;

export function createClient(baseUrl: string, token: string): Client {
  const request = async (path: string, init: RequestInit): Promise<JsonObject> => {
    const headers = { authorization: `Bearer ${token}`, ...Object.fromEntries(new Headers(init.headers)) };
    const response = await fetchWithRetries(new URL(path, baseUrl), { ...init, headers });
    const answer = toJson(await response.json());
    if (!response.ok)
      throw new Error(`${init.method ?? 'GET'} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    if (!isJsonObject(answer)) throw new Error(`${path} answered no object`);
    return answer;
  };
  return {
    get: async (path, headers = {}) => await request(path, { headers }),
    async post(path, body) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      return await request(path, { method: 'POST', body: JSON.stringify(body), headers });
    },
  };
}

async function fetchWithRetries(url: URL, init: RequestInit): Promise<Response> {
  for (const deadline = Date.now() + API_GIVE_UP_AFTER_MS; ;) {
    const response = await fetch(url, init).catch((error: unknown) => {
      if (Date.now() > deadline) throw error;
      return null;
    });
    const isAskedToRetry = response === null || (!response.ok && response.headers.has('retry-after'));
    if (response && (!isAskedToRetry || Date.now() > deadline)) return response;
    await sleep(Number(response?.headers.get('retry-after') ?? 1) * 1_000);
  }
}
