import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { listenOnPort } from '../../src/process/listen.ts';
import { aToolOf } from '../support/doubles/configured-tool.ts';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { hasStatus } from '../support/readers/api-runs.ts';
import { textAt } from '../support/readers/json-at.ts';
import { startPostgres } from '../support/servers/postgres-server.ts';
import type { PostgresServer } from '../support/servers/postgres-server.ts';
import { startProcesses } from '../support/servers/processes.ts';
import type { Processes } from '../support/servers/processes.ts';

/* A run with large state continues as new while worker, API and database crash during its writes. */

const MINUTE_MS = 60_000;
const CALLS = 10;
const TEXT_BYTES = 700_000;

/** A distinct text for each key. */
function textOf(key: string): string {
  let text = '';
  for (let at = 0; text.length < TEXT_BYTES; at += 1) text += createHash('sha512').update(`${key} ${at}`).digest('hex');
  return text.slice(0, TEXT_BYTES);
}

const teardown = openTeardown();
const keys = new Set<string>();
let postgres: PostgresServer;
let databaseUrl: string;
let deployed: Processes;
let user: ApiClient;
beforeAll(async () => {
  const service = await listenOnPort(
    {
      fetch(request: Request) {
        const key = request.headers.get('idempotency-key') ?? '';
        keys.add(key);
        return Response.json(textOf(key));
      },
    },
    { port: 0 },
  );
  teardown.add(() => service.stop());
  postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  databaseUrl = await postgres.createDatabase('holdfast');
  const config = {
    tools: [aToolOf(service, { name: 'tell', retry: { maxAttempts: 20 } })],
    http: { allow: [new URL(service.url).host] },
    defaults: { continueAfter: 12 },
  };
  deployed = await startProcesses({ databaseUrl, config, isAwaited: true, isLookedAfter: true }, teardown);
  user = createApiClient(deployed.baseUrls[0] ?? '', deployed.tokens.user);
}, 5 * MINUTE_MS);
afterAll(async () => await teardown.run(), MINUTE_MS);

const growing: GraphDefinition = {
  name: 'growing',
  channels: { texts: { reducer: 'append' }, sizes: { default: [] } },
  input: [],
  output: ['sizes'],
  nodes: {
    tell: { type: 'tool', tool: 'tell', args: { number: '{{ size(state.texts) }}' }, write: { texts: '{{ result }}' } },
    end: { type: 'set', write: { sizes: '{{ state.texts.map(text, size(text)) }}' } },
  },
  edges: [
    { from: '__start__', to: 'tell' },
    { from: 'tell', branches: [{ when: `size(state.texts) < ${CALLS}`, to: 'tell' }, { to: 'end' }] },
  ],
};

/** Bytes of the states of a run that were passed to its executions. */
interface StoredStates {
  /** The sum over all executions. */
  readonly received: number;
  readonly largest: number;
  /** What the states take in the store, where they share pieces. */
  readonly stored: number;
}

async function rows<Row extends object = { readonly count: number }>(statement: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function countPieces(): Promise<number> {
  const [found] = await rows('select count(*)::int as count from blob_pieces');
  return found?.count ?? 0;
}

/** Waits until a worker has an unfinished write. */
async function untilMorePieces(than: number): Promise<void> {
  await expect.poll(countPieces, { timeout: 2 * MINUTE_MS, interval: 5 }).toBeGreaterThan(than);
}

test(
  'a large run that continues as new loses no value, and no history refers to a missing payload',
  async () => {
    const { body } = await user.post('/api/runs', { graph: growing, input: {} });
    const id = textAt(body, '/id');
    const [worker] = deployed.workers;
    const [api] = deployed.apis;
    const victims = [worker, postgres.victim, worker, api, worker, postgres.victim];
    for (const victim of victims) {
      await untilMorePieces(await countPieces());
      await victim?.kill();
      await victim?.start();
    }
    const run = await user.untilRun(id, hasStatus('completed', 'failed'), 6 * MINUTE_MS);
    expect(run).toMatchObject({
      error: null,
      status: 'completed',
      output: { sizes: Array.from({ length: CALLS }, () => TEXT_BYTES) },
    });
    expect(keys.size).toBe(CALLS);
    const [lost] = await rows(`
      select count(*)::int as count from blobs, json_array_elements_text(pieces) as piece
      where not exists (select from blob_pieces where workflow_id = blobs.workflow_id and digest = piece)
    `);
    expect(lost).toEqual({ count: 0 });
    // Each execution has received the complete state of the run; only new values were stored.
    const [states] = await rows<StoredStates>(`
      with used as (
        select blobs.id, digest, octet_length(blob_pieces.data) as size
        from blobs, json_array_elements_text(pieces) as piece, blob_pieces
        where blob_pieces.workflow_id = blobs.workflow_id and digest = piece
      ),
      states as (select id, sum(size)::int as size from used group by id having sum(size) > ${2 * TEXT_BYTES})
      select sum(size)::int as received, max(size) as largest,
        (select sum(size)::int from (select distinct digest, size from used where id in (select id from states)) as kept) as stored
      from states
    `);
    expect(states?.received).toBeGreaterThan(3 * (states?.largest ?? Infinity));
    expect(states?.stored).toBeLessThan(2 * (states?.largest ?? 0));
  },
  15 * MINUTE_MS,
);
