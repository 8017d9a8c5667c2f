import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalWriter } from '../../../src/store/journal.ts';
import { measureWith, readMetrics } from '../../../src/telemetry/metrics/meter.ts';
import { measuredStore } from '../../../src/workers/measured-store.ts';
import { AT, aBatch, aNewRun, aView } from '../../support/builders/store-builders.ts';
import { useMemoryStore } from '../../support/servers/use-memory-store.ts';

const store = await useMemoryStore();
const lines: string[] = [];
const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
const measured = measuredStore(store, logger);

let goBack: () => void;
beforeEach(() => {
  goBack = measureWith({});
});
afterEach(() => goBack());

const writerOf = (runId: string): JournalWriter => ({ runId, tenantId: 'acme', executionRunId: 'e1', graph: 'refund' });
const ending = aBatch([1], {
  events: [{ seq: 1, at: AT, step: 0, type: 'run.failed', error: { code: 'TOOL_FAILED', message: 'no', node: 'pay' } }],
  view: aView({ status: 'failed', endedAt: AT }),
});

test('an event that is written to the store twice is measured and logged once', async () => {
  for (const id of ['01M87CEGE04E2NGG4BDBF010M2', 'bench-0']) {
    await store.runs.create(aNewRun({ id }));
    await measured.journal.write(ending, writerOf(id));
    await measured.journal.write(ending, writerOf(id));
    await expect(measured.journal.write(aBatch([1]), writerOf(id))).rejects.toThrow(/events_say_one_thing/);
    expect((await store.journal.events(id, 0, 10)).map(({ seq }) => seq)).toEqual([1]);
  }
  const text = await readMetrics();
  expect(text).toContain('holdfast_runs_total{graph="refund",outcome="failed"} 2');
  expect(text).toContain('holdfast_run_duration_count{graph="refund",outcome="failed"} 1');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      run: '01M87CEGE04E2NGG4BDBF010M2',
      tenant: 'acme',
      graph: 'refund',
      code: 'TOOL_FAILED',
      message: 'no',
      msg: 'a run has failed',
    },
    { run: 'bench-0' },
  ]);
});

const errorOf = { pay: { error: true } } as const;
test.each([
  ['whose errors are redacted', async () => ({ channels: ['secret'], nodes: errorOf, graphs: {} })],
  ['of which nothing is known', async () => await Promise.reject(new Error('away'))],
])('the log line of a failed run %s has its code without its message', async (which, redactionOf) => {
  lines.length = 0;
  const id = `redacting-${which.length}`;
  await store.runs.create(aNewRun({ id }));
  const redactionOfRuns = async () => new Map([[id, await redactionOf()]]);
  const redacting = measuredStore({ ...store, runs: { ...store.runs, redactionOfRuns } }, logger);
  await redacting.journal.write(ending, writerOf(id));
  const line = { run: id, code: 'TOOL_FAILED', message: '[redacted]', msg: 'a run has failed' };
  expect(lines.map((text) => JSON.parse(text))).toMatchObject([line]);
});

test('events of a failed store write are neither measured nor logged', async () => {
  lines.length = 0;
  const refusing = {
    ...store,
    journal: { ...store.journal, write: async () => await Promise.reject(new Error('away')) },
  };
  await expect(measuredStore(refusing, logger).journal.write(ending, writerOf('R9'))).rejects.toThrow('away');
  expect(lines).toEqual([]);
});
