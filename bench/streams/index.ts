import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from '../../src/api/app.ts';
import { createAuthenticate } from '../../src/api/http/authenticate.ts';
import { createCursors } from '../../src/api/http/paging.ts';
import { permissionsOf } from '../../src/graph/definition/roles.ts';
import { createFingerprints } from '../../src/api/http/fingerprints.ts';
import { createEventParser } from '../../src/client/read-stream.ts';
import { toApiSettings } from '../../src/config/api-settings.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { toCatalog } from '../../src/config/to-catalog.ts';
import { openTeardown } from '../../src/dev/teardown.ts';
import { listenOnPort, openAbort } from '../../src/process/listen.ts';
import { createLogger } from '../../src/process/logger.ts';
import { openPostgresStore } from '../../src/store/store.ts';
import type { Store } from '../../src/store/store.ts';
import { aBatch, aNewRun, writeTo } from '../../test/support/builders/store-builders.ts';
import { anAbsentEngine } from '../../test/support/doubles/absent-engine.ts';
import { graphJobsHere } from '../../test/support/doubles/graph-jobs-here.ts';
import { startPostgres } from '../../test/support/servers/postgres-server.ts';
import { median, print, round } from '../support/timed-run.ts';
import { sized } from '../support/size.ts';

/*
 * The cost of stream readers for one API process: `npm run bench:streams [-- 500]`. Prints one JSON object per line,
 * for readers of one run, of as many runs, and of the tenant: the time from the write of an event until it has reached
 * all readers, the delay of the event loop, and the memory of the process, which includes the readers.
 */

const READERS = Number(process.argv[2] ?? sized(500, 3));
const EVENTS = sized(50, 2);
const PAUSE_MS = 100;
/** Waiting time before the first event, and after the last one. */
const SETTLES_WITHIN_MS = sized(1_000, 100);

const teardown = openTeardown();
try {
  const postgres = await startPostgres();
  teardown.add(() => postgres.stop());
  const store = await openPostgresStore(await postgres.createDatabase('bench'));
  teardown.add(() => store.close());
  const url = await serve(store);
  const runs = Array.from({ length: READERS }, (_, n) => `R${n}`);
  for (const id of runs) await store.runs.create(aNewRun({ id }));
  const ofRun = (id: string): string => `${url}/api/runs/${id}/events`;
  print({ readersOf: 'one run', ...(await measure(store, { urls: runs.map(() => ofRun('R0')), writes: ['R0'] })) });
  const others = runs.slice(1);
  print({ readersOf: 'a run each', ...(await measure(store, { urls: others.map(ofRun), writes: others })) });
  const ofTenant = runs.map(() => `${url}/api/events`);
  await store.runs.create(aNewRun({ id: 'T' }));
  print({ readersOf: 'the tenant', ...(await measure(store, { urls: ofTenant, writes: ['T'] })) });
} finally {
  await teardown.run();
}

/** Serves the API to a caller without a token. @returns its address */
async function serve(store: Store): Promise<string> {
  const config = parseConfig('the benchmark', { streams: { perTenant: READERS * 2, total: READERS * 2 } });
  const catalog = toCatalog(config);
  const shuttingDown = openAbort();
  const refuse = createAuthenticate({
    issuer: '',
    audience: '',
    keys: { keys: [] },
    claims: { tenant: '', roles: '' },
  });
  const reader = { tenantId: 'acme', sub: 'reader', roles: ['user'], permissions: permissionsOf(['user']) };
  const app = createApp({
    store,
    engine: anAbsentEngine(),
    toolWarnings: [],
    catalog,
    graphJobs: graphJobsHere(catalog),
    settings: toApiSettings(config, process.env),
    authenticate: async (token) => (token === undefined ? reader : await refuse(token)),
    cursors: createCursors('secret'),
    fingerprints: createFingerprints('secret'),
    logger: createLogger('silent'),
    shuttingDown: shuttingDown.signal,
  });
  const listening = await listenOnPort(app, { port: 0 });
  teardown.add(async () => {
    shuttingDown.abort();
    await listening.stop();
  });
  return listening.url;
}

interface Measured {
  readonly urls: readonly string[];
  /** The runs that receive events, in turn. */
  readonly writes: readonly string[];
}

async function measure(store: Store, { urls, writes }: Measured): Promise<object> {
  const writtenAt = new Map<string, number>();
  const lateMs: number[] = [];
  const stop = new AbortController();
  const readers = await Promise.all(urls.map(async (at) => await fetch(at, { signal: stop.signal })));
  const refused = readers.filter(({ ok }) => !ok).length;
  if (refused > 0) throw new Error(`${refused} readers were refused`);
  const reading = readers.map(async (answer) => await read(answer, (data) => note(data, writtenAt, lateMs)));
  await new Promise((resolve) => setTimeout(resolve, SETTLES_WITHIN_MS));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  for (let seq = 1; seq <= EVENTS; seq += 1) {
    for (const id of new Set(writes.length > 1 ? pickTen(writes, seq) : writes)) {
      const next = 1 + [...writtenAt.keys()].filter((key) => key.startsWith(`${id} `)).length;
      writtenAt.set(`${id} ${next}`, performance.now());
      await writeTo(store, { id }, aBatch([next]));
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLES_WITHIN_MS));
  delay.disable();
  stop.abort();
  await Promise.allSettled(reading);
  const sorted = lateMs.toSorted((a, b) => a - b);
  return {
    readers: urls.length,
    came: sorted.length,
    lateMs: { p50: round(median(sorted), 1), p99: round(sorted[Math.floor(sorted.length * 0.99)] ?? 0, 1) },
    loopDelayP99Ms: round(delay.percentile(99) / 1e6, 1),
    residentMib: round(process.memoryUsage.rss() / 1_048_576, 0),
  };
}

/** Picks ten of many, others each time. */
function pickTen(ids: readonly string[], turn: number): readonly string[] {
  return Array.from({ length: 10 }, (_, n) => ids[(turn * 10 + n) % ids.length] ?? '');
}

async function read({ body, url }: Response, onEvent: (key: string) => void): Promise<void> {
  const parse = createEventParser();
  const decoder = new TextDecoder();
  const ofUrl = /runs\/([^/]+)\/events/.exec(url)?.[1];
  for await (const chunk of body ?? [])
    for (const { data } of parse(decoder.decode(chunk, { stream: true }))) {
      if (data === '') continue;
      const { runId = ofUrl, seq }: { runId?: string; seq: number } = JSON.parse(data);
      onEvent(`${runId} ${seq}`);
    }
}

function note(key: string, writtenAt: ReadonlyMap<string, number>, lateMs: number[]): void {
  const at = writtenAt.get(key);
  if (at !== undefined) lateMs.push(performance.now() - at);
}
