import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../../src/graph/values/json.ts';
import { aDefinition } from '../support/builders/builders.ts';
import { createRandom, seedOf } from '../support/builders/random.ts';
import type { Random } from '../support/builders/random.ts';
import { startSlowModel } from '../support/doubles/slow-model.ts';
import type { SlowModel } from '../support/doubles/slow-model.ts';
import { eventsOf } from '../support/readers/api-runs.ts';
import { readInPieces } from '../support/readers/cut-stream.ts';
import type { CutPoint, CutReading } from '../support/readers/cut-stream.ts';
import { inTime } from '../support/readers/in-time.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { completedFrom, combineDeltas } from '../support/readers/combine-deltas.ts';
import { startDeployment } from '../support/servers/deployment.ts';
import type { Deployment } from '../support/servers/deployment.ts';
import { repeated } from '../support/servers/site.ts';

/*
 * Streams are cut at random points while the API and the worker are killed. Each reader receives the complete history,
 * each event once, and the received text of a model equals its answer. STREAM_CUTS is the number of cut connections,
 * STREAM_SEED selects other points and victims.
 */

const CUTS = Number(process.env['STREAM_CUTS'] ?? 100);
const SEED = Number(process.env['STREAM_SEED'] ?? 1);
const READERS = ['', '', '', '?stream=tokens', '?stream=tokens'] as const;
const NODES = ['first', 'second', 'third'] as const;

let model: SlowModel;
let deployment: Deployment;
beforeAll(async () => {
  model = await startSlowModel({ words: 40, pauseMs: 15 });
  const baseUrl = `${model.baseUrl}/v1`;
  deployment = await startDeployment({
    models: { default: { provider: 'openai-compatible', model: 'slow', baseUrl } },
    http: { allow: [model.address] },
    defaults: { heartbeatTimeout: '2s', retry: { maxAttempts: 20, initialInterval: '100ms', maxInterval: '1s' } },
  });
  await Promise.all([deployment.api.said('API listening'), deployment.worker.said('worker started')]);
}, 180_000);
afterAll(async () => {
  await deployment.stop();
  await model.stop();
});

type Victim = 'api' | 'worker';
const READY: Readonly<Record<Victim, string>> = { api: 'API listening', worker: 'worker started' };
/**
 * The processes killed during each run. The first run is undisturbed, so that a reader with one connection receives
 * everything.
 */
const VICTIMS: readonly (readonly Victim[])[] = [[], ['api'], ['worker'], ['api', 'worker']];

test(`event streams that are cut ${CUTS} times contain the whole history, with seed ${SEED}`, async () => {
  const tally = { cuts: 0, lost: 0, runs: 0, kills: 0, events: 0, deltas: 0 };
  for (; tally.cuts < CUTS; tally.runs += 1) {
    const victims = VICTIMS[tally.runs % VICTIMS.length] ?? [];
    const readings = await playRun(tally.runs, victims);
    tally.kills += victims.length;
    for (const { cuts, lost, events, deltas } of readings) {
      tally.cuts += cuts;
      tally.lost += lost;
      tally.events += events.length;
      tally.deltas += deltas.length;
    }
  }
  process.stdout.write(`${JSON.stringify(tally)}\n`);
  expect(tally.deltas).toBeGreaterThan(0);
}, 1_800_000);

const STAYING: CutPoint = { characters: Number.POSITIVE_INFINITY, ms: 600_000 };

/** Starts a run, kills processes while readers follow it, and compares what they received with the store. */
async function playRun(number: number, victims: readonly Victim[]): Promise<readonly CutReading[]> {
  const random = createRandom(seedOf(SEED, number));
  const key = `run ${SEED} ${number}`;
  if (victims.length === 0) await untilHeard(key);
  const runId = await startTelling(key);
  const { staying, hasBegun, soFar } = stay(runId);
  await inTime(Promise.race([hasBegun, staying]), BEGINS_WITHIN_MS, soFar);
  const leaving = READERS.map((query, at) => {
    const cuts = createRandom(seedOf(SEED, number, at));
    return readInPieces({ open: opener(runId, query), nextCut: () => drawCut(cuts) });
  });
  await letTell(runId, key);
  const [readings, whole] = await Promise.all([Promise.all(leaving), staying, killSoon(victims, random)]);
  const history = await eventsOf(deployment.as('user'), runId);
  const answers = answersIn(history);
  for (const { events, deltas } of [...readings, whole]) {
    expect(events).toEqual(history);
    const texts = combineDeltas(deltas).map(({ node, pieces }) => [
      node,
      completedFrom(answers.get(node) ?? '', pieces),
    ]);
    expect(texts).toEqual(texts.map(([node]) => [node, answers.get(node ?? '')]));
  }
  // A reader with one connection receives everything, unless a process is killed.
  const told = combineDeltas(whole.deltas).map(({ pieces }) => pieces.map(({ text }) => text).join(''));
  expect(victims.length === 0 ? told : [...answers.values()]).toEqual([...answers.values()]);
  return readings;
}

/** Makes models send text until it arrives: without the database a stream takes long to subscribe. */
async function untilHeard(key: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const keyOfTry = `${key} try ${tries}`;
    const runId = await startTelling(keyOfTry);
    const { staying } = stay(runId);
    await letTell(runId, keyOfTry);
    if ((await staying).deltas.length > 0) return;
  }
}

const BEGINS_WITHIN_MS = 60_000;

interface Stay {
  readonly staying: Promise<CutReading>;
  readonly hasBegun: Promise<unknown>;
  /** A description of the connections' state. */
  readonly soFar: () => string;
}

/** Reads a run to its end over one connection, which has received the beginning of the model's text. */
function stay(runId: string): Stay {
  const heard = new EventEmitter();
  const hasBegun = once(heard, 'the beginning');
  const opened: string[] = [];
  const open = opener(runId, '?stream=tokens');
  const staying = readInPieces({
    open: async (after) => {
      const nth = opened.push('no answer');
      const response = await open(after);
      opened[nth - 1] = String(response.status);
      return response;
    },
    nextCut: () => STAYING,
    onText: (text) => void (text.includes('"run.started"') && heard.emit('the beginning')),
  });
  const soFar = (): string =>
    `the beginning of run ${runId}, over ${opened.length} connections, of which the last was answered ${opened.at(-1)}`;
  return { staying, hasBegun, soFar };
}

/** Starts a run whose models wait for permission. */
async function startTelling(key: string): Promise<string> {
  const tell = (node: string) => ({ type: 'llm', prompt: node, write: { log: '{{ result.text }}' } }) as const;
  const telling = Object.fromEntries(NODES.map((node) => [node, tell(node)]));
  const graph = aDefinition({ name: 'telling', nodes: { let: { type: 'wait', event: 'tell' }, ...telling } });
  const started = await repeated(() =>
    deployment.as('user').post('/api/runs', { graph, input: {} }, { 'idempotency-key': key }),
  );
  return textAt(started.body, '/id');
}

async function letTell(runId: string, key: string): Promise<void> {
  const headers = { 'idempotency-key': `${key} tell` };
  await repeated(() => deployment.as('user').post(`/api/runs/${runId}/signal`, { event: 'tell' }, headers));
}

function opener(runId: string, query: string): (after: string) => Promise<Response> {
  return async (after) =>
    await deployment.open('user', `/api/runs/${runId}/events${query}`, after === '' ? {} : { 'last-event-id': after });
}

/** Cuts are mostly early, so that most are within an event; some come after many events. */
function drawCut(random: Random): CutPoint {
  return {
    characters: 1 + Math.floor(random.next() ** 3 * 6_000),
    ms: 20 + random.next() * 700,
  };
}

async function killSoon(victims: readonly Victim[], random: Random): Promise<void> {
  for (const name of victims) {
    await new Promise((resolve) => setTimeout(resolve, 200 + random.next() * 1_200));
    await deployment[name].kill();
    await deployment[name].start();
    await deployment[name].said(READY[name]);
  }
}

/** The value that each node has written, which is the text of its model. */
function answersIn(history: readonly Json[]): ReadonlyMap<string, string> {
  const completed = history.filter((event) => at(event, '/type') === 'node.completed');
  const told = completed.filter((event) => NODES.some((node) => node === at(event, '/node')));
  return new Map(told.map((event) => [textAt(event, '/node'), textAt(event, '/update/log')]));
}
