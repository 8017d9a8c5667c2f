import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Catalog } from '../../src/graph/definition/catalog.ts';
import { INTERPRETER_VERSION } from '../../src/graph/definition/definition.ts';
import type { GraphDefinition } from '../../src/graph/definition/definition.ts';
import { canonicalJson } from '../../src/graph/values/compare-json.ts';
import { toJson } from '../../src/graph/values/to-json.ts';
import type { Json } from '../../src/graph/values/json.ts';
import { limitsOfGraph } from '../../src/graph/run/limits.ts';
import type { RunGraphInput } from '../../src/workflows/contract.ts';
import { startAnsweringWorker } from '../support/servers/answering-worker.ts';
import type { AnsweringWorker, ReceivedCalls } from '../support/servers/answering-worker.ts';
import { historiesOf } from '../support/readers/executions.ts';
import { createRandom } from '../support/builders/random.ts';
import { randomCatalog, randomGraph } from '../support/builders/random-graphs.ts';
import { runShuffled } from '../support/readers/shuffled-run.ts';
import { steerRun } from '../support/readers/steered-run.ts';
import type { SteeredRun } from '../support/readers/steered-run.ts';

const SEED = Number(process.env['SEED'] ?? 3);
const RUNS = Number(process.env['RUNS'] ?? 16);

let worker: AnsweringWorker;
beforeAll(async () => {
  worker = await startAnsweringWorker();
});
afterAll(async () => await worker.stop());

/** Graphs with enough state to continue as new, but small enough to be fast. */
const graphs = randomGraph(2, 5)
  .map(hastened)
  .filter((definition) => {
    const { occurrences } = runShuffled({ definition, catalog: randomCatalog, choose: () => 0 });
    return occurrences.length >= 4 && occurrences.length <= 24;
  });

/** Shortens waiting times, so that other occurrences come after them and the order is the same each time. */
function hastened(definition: GraphDefinition): GraphDefinition {
  return JSON.parse(JSON.stringify(definition).replaceAll('"for":"5s"', '"for":"1ms"'));
}

let played = 0;

/** @param tenantId distinguishes two runs that are otherwise equal */
function inputOf(definition: GraphDefinition, tenantId: string, continueAfter?: number): RunGraphInput {
  const { name, limits } = definition;
  // An open call waits for its turn without a heartbeat.
  const defaults = { ...randomCatalog.defaults, heartbeatTimeout: '10m', ...(continueAfter && { continueAfter }) };
  const catalog: Catalog = { ...randomCatalog, defaults };
  const identity = {
    id: `run-${played}`,
    tenantId,
    threadId: null,
    graph: { name, version: null, hash: 'random' },
    createdBy: { sub: 'uma', roles: ['user'] },
    limits: limitsOfGraph(limits, defaults),
  };
  const begin = { kind: 'input', input: {} } as const;
  return { interpreterVersion: INTERPRETER_VERSION, execution: 1, identity, definition, catalog, begin };
}

/** All events, calls and results of a run, without times and the tenant that distinguishes the two runs. */
async function accountOf({ handle, received, choices }: SteeredRun): Promise<Json> {
  const end = await handle.result().catch((error: Error) => String(error.cause));
  const account = JSON.stringify({ end, choices, calls: received.calls, ...journalOf(received) });
  return toJson(
    JSON.parse(account.replaceAll(TIME, '0'), (key, part: unknown) => (OWN_EACH_TIME.has(key) ? undefined : part)),
  );
}

const OWN_EACH_TIME: ReadonlySet<string> = new Set(['durationMs', 'deadlineMs', 'leftMs', 'usedMs', 'tenantId']);
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|\b1[6-9]\d{11}\b/g;

/**
 * Batches may be split differently, and the batch of a failed call is sent again: the resulting journal is the same.
 */
function journalOf({ batches }: ReceivedCalls): object {
  const events = onceEach(batches.flatMap((batch) => batch.events)).toSorted((a, b) => a.seq - b.seq);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, before) => before + 1));
  return {
    events,
    checkpoints: onceEach(batches.flatMap(({ checkpoints }) => checkpoints)).toSorted((a, b) => a.seq - b.seq),
    approvals: Object.fromEntries(batches.flatMap(({ approvals }) => approvals).map((one) => [one.id, one])),
    occurrences: onceEach(batches.flatMap(({ occurrences }) => occurrences)).toSorted((a, b) => a.number - b.number),
    view: batches.at(-1)?.view,
    closed: batches.at(-1)?.endedState,
  };
}

function onceEach<T>(said: readonly T[]): T[] {
  return [...new Map(said.map((one) => [canonicalJson(toJson(one)), one])).values()];
}

interface Tally {
  readonly executions: number;
  readonly timersFired: number;
}

async function tallyOf({ handle }: SteeredRun): Promise<Tally> {
  const histories = await historiesOf(worker.temporal.workflow, handle.workflowId);
  const events = histories.flatMap((history) => history.events ?? []);
  return {
    executions: histories.length,
    timersFired: events.filter((event) => event.timerFiredEventAttributes).length,
  };
}

/** The total number of opportunities to continue as new. */
let idleTimes = 0;
/** The kinds of waits at those moments. */
const waitedFor = new Set<string>();

async function expectSame(definition: GraphDefinition, seed: number): Promise<void> {
  played += 1;
  const play = async (tenantId: string, continueAfter?: number): Promise<SteeredRun> => {
    const random = createRandom(seed);
    const choose = (count: number): number => Math.floor(random.next() * count);
    return await steerRun(worker, inputOf(definition, tenantId, continueAfter), choose);
  };
  const [often, never] = await Promise.all([play('often', 1), play('never')]);
  expect(await accountOf(often)).toEqual(await accountOf(never));
  expect(await tallyOf(never)).toMatchObject({ executions: 1 });
  // Supersteps without a call or a wait leave no history between them, and are no opportunity. A timer that has fired
  // is one, unless something else happens at the same moment.
  const { executions, timersFired } = await tallyOf(often);
  expect(executions).toBeGreaterThanOrEqual(1 + often.idleTimes);
  expect(executions).toBeLessThanOrEqual(1 + often.idleTimes + timersFired);
  idleTimes += often.idleTimes;
  for (const [{ waitingFor }] of often.choices) for (const { kind } of waitingFor) waitedFor.add(kind);
  if (timersFired > 0) waitedFor.add('timer');
}

test(`a run of any graph that continues as new at every opportunity behaves like one that never does (seed ${SEED})`, async () => {
  const seeds = fc.integer({ min: 0, max: 2 ** 31 });
  // Counterexamples are not shrunk, because that would take long.
  const parameters = { seed: SEED, numRuns: RUNS, endOnFailure: true };
  await fc.assert(fc.asyncProperty(graphs, seeds, expectSame), parameters);
  expect(idleTimes).toBeGreaterThan(3 * RUNS);
  expect(waitedFor).toEqual(new Set(['approval', 'event', 'intervention', 'timer']));
}, 300_000);
