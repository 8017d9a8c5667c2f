import { PGlite } from '@electric-sql/pglite';
import { advance } from '../../src/graph/advance/advance.ts';
import { startRun } from '../../src/graph/advance/begin-run.ts';
import type { AdvanceResult } from '../../src/graph/advance/advance.ts';
import { DEFAULTS } from '../../src/graph/definition/catalog.ts';
import { CEILINGS } from '../../src/graph/definition/limits.ts';
import { compileGraph } from '../../src/graph/compile/compile.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import { toRunView } from '../../src/graph/journal/run-view.ts';
import { openEmbeddedStore } from '../../src/store/store.ts';
import { sized } from '../support/size.ts';

/*
 * The storage of a run whose list of messages grows with each step: `npm run bench:storage`. Prints one JSON object per
 * line: the bytes of events, checkpoints and snapshots, after the state was read at every hundredth step.
 */

const LENGTHS = sized([100, 1_000, 10_000], [100]);

for (const steps of LENGTHS) process.stdout.write(`${JSON.stringify(await measure(steps))}\n`);

function talkOf(steps: number): GraphDefinition {
  const message = { role: 'user', content: 'Message {{ size(state.messages) }} of a long talk, as people write them' };
  return {
    name: 'talk',
    channels: { messages: { reducer: 'messages' } },
    nodes: { say: { type: 'set', write: { messages: message } } },
    edges: [
      { from: '__start__', to: 'say' },
      { from: 'say', branches: [{ when: `size(state.messages) < ${steps}`, to: 'say' }, { to: '__end__' }] },
    ],
    limits: { maxSteps: steps },
  };
}

async function measure(steps: number): Promise<object> {
  const database = await PGlite.create();
  const store = await openEmbeddedStore(database);
  const definition = talkOf(steps);
  const graph = compileGraph(definition, {
    models: {},
    tools: {},
    functions: {},
    defaults: DEFAULTS,
    ceilings: CEILINGS,
  });
  const identity = {
    id: 'talk',
    tenantId: 'bench',
    threadId: null,
    graph: { name: 'talk', version: 1, hash: 'h' },
    createdBy: { sub: 'bench', roles: [] },
    limits: limitsOfGraph(definition.limits, DEFAULTS),
  };
  const write = async ({ run, ...batch }: AdvanceResult): Promise<void> =>
    await store.journal.write(
      { ...batch, view: toRunView(run), endedState: null },
      { runId: 'talk', tenantId: 'bench', executionRunId: 'e' },
    );
  let step = startRun(graph, identity, { input: {}, startedAt: 0 });
  await write(step);
  while (step.hasYielded) {
    step = advance(graph, step.run, { kind: 'continue', at: 0 });
    await write(step);
  }
  const began = performance.now();
  for (let number = 100; number <= steps; number += 100) await store.checkpoints.at('talk', `talk.c${number + 1}`);
  const readMs = (performance.now() - began) / (steps / 100);
  const bytes = await bytesIn(database);
  await Promise.all([store.close(), database.close()]);
  return { steps, ...bytes, perStep: Math.round(bytes.total / steps), msPerRead: Number(readMs.toFixed(1)) };
}

async function bytesIn(database: PGlite): Promise<{ total: number }> {
  const { rows } = await database.query<{ events: number; checkpoints: number; snapshots: number }>(`
    select
      (select coalesce(sum(octet_length(body::text)), 0)::integer from events) as events,
      (select coalesce(sum(bytes), 0)::integer from checkpoints) as checkpoints,
      (select coalesce(sum(bytes), 0)::integer from snapshots) as snapshots
  `);
  const [{ events, checkpoints, snapshots } = { events: 0, checkpoints: 0, snapshots: 0 }] = rows;
  const sizes = { events, checkpoints, snapshots };
  return { ...sizes, total: events + checkpoints + snapshots };
}
