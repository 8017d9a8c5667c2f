import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import type { Redaction } from '../../../src/graph/redaction/redaction.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import type { TaskFailureCause, TaskFailureNote } from '../../../src/store/failing-runs.ts';
import { readMetrics } from '../../../src/telemetry/metrics/meter.ts';
import { reportFailedTask } from '../../../src/workers/isolated-worker.ts';
import type { Culprit } from '../../../src/workers/workflow-process/task-observer.ts';
import { at } from '../../support/readers/json-at.ts';

const never = async (): Promise<never> => await Promise.reject(new Error('Not asked'));

type NoteFailure = (runId: string, failure: TaskFailureNote) => Promise<void>;

const failuresMeasured = async (): Promise<number> =>
  Number(/^holdfast_workflow_task_failures_total (\d+)/m.exec(await readMetrics())?.[1]);

const NOTHING: Redaction = { channels: [], nodes: {}, graphs: {} };
const SECRETIVE: Redaction = { ...NOTHING, channels: ['secret'] };

/**
 * A report with what it logs and notes.
 * @param redaction of the run; `null` if the database is away
 */
function aReport(note: NoteFailure, redaction: Redaction | null = NOTHING) {
  const lines: Json[] = [];
  const stream = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(toJson(JSON.parse(line.toString())));
      done();
    },
  });
  const redactionOfRuns = async () => (redaction ? new Map([['R', redaction]]) : await never());
  const store = {
    failingRuns: { note, list: never, find: never, forget: never, active: never },
    runs: { redactionOfRuns },
  };
  return { lines, report: reportFailedTask({ store, logger: pino(stream) }) };
}

const failed = { workflowId: 'run:acme:R', executionRunId: 'e1', reason: 'x'.repeat(5_000) } as const;
const byCode = { by: 'code', proofs: 2 } as const;

test('a failed workflow task is logged with its run, and counted', async () => {
  const { lines, report } = aReport(async () => undefined);
  report({ ...failed, ...byCode });
  await expect.poll(() => lines).toHaveLength(1);
  report({ ...failed, ...byCode, workflowId: 'no run' });
  await expect.poll(() => lines).toHaveLength(2);
  const line = { run: 'R', executionRunId: 'e1', by: 'code', reason: 'x'.repeat(500), msg: 'a workflow task failed' };
  expect(lines[0]).toMatchObject(line);
  expect(Number(at(lines[1] ?? null, '/count')) - Number(at(lines[0] ?? null, '/count'))).toBe(1);
});

test('a workflow task that waits in the queue is logged and recorded, but not counted', async () => {
  const note = vi.fn<NoteFailure>(async () => undefined);
  const { lines, report } = aReport(note);
  const before = await failuresMeasured();
  report({ ...failed, reason: 'it waits behind others', by: 'queue' });
  expect(await failuresMeasured()).toBe(before);
  const line = { run: 'R', executionRunId: 'e1', by: 'queue', msg: 'a workflow task waits for its turn' };
  expect(lines).toEqual([expect.objectContaining(line)]);
  expect(lines[0]).not.toHaveProperty('count');
  expect(note).toHaveBeenCalledOnce();
  report({ ...failed, ...byCode });
  await expect.poll(() => lines[1]).toMatchObject({ msg: 'a workflow task failed', count: 1 });
  expect(await failuresMeasured()).toBe(before + 1);
});

test.each([
  ['that redacts a value', SECRETIVE],
  ['of which nothing is known', null],
])('the reason is redacted for a run %s', async (_which, redaction) => {
  const { lines, report } = aReport(async () => undefined, redaction);
  report({ ...failed, ...byCode });
  await expect.poll(() => lines[0]).toMatchObject({ run: 'R', executionRunId: 'e1', reason: '[redacted]' });
});

test.each<[Culprit, readonly TaskFailureCause[]]>([
  [byCode, [{ ...byCode, reason: 'why' }]],
  [{ by: 'temporal' }, [{ by: 'temporal' }]],
  [{ by: 'queue' }, [{ by: 'queue' }]],
  [{ by: 'machine' }, [{ by: 'machine' }]],
  [{ by: 'worker' }, []],
])('a workflow task’s failure is recorded for the sweeper unless the worker caused it: %o', (culprit, expected) => {
  const note = vi.fn<NoteFailure>(async () => undefined);
  aReport(note).report({ ...failed, reason: 'why', ...culprit });
  expect(note.mock.calls).toEqual(expected.map((cause) => ['R', { executionRunId: 'e1', ...cause }]));
});

test('a workflow task’s failure whose record can not be written is logged', async () => {
  const { lines, report } = aReport(never);
  report({ ...failed, ...byCode });
  const line = { run: 'R', msg: 'a failed workflow task could not be noted' };
  await expect.poll(() => lines).toContainEqual(expect.objectContaining(line));
});
