import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/process/logger.ts';
import type { Logger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { SetupError } from '../../../src/process/setup-error.ts';
import { at } from '../../support/readers/json-at.ts';
import { PATIENTLY } from '../../support/readers/api-runs.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

const SECRET = 'canary-4711';

/** Writes a line. @returns the line as JSON */
async function lineOf(write: (logger: Logger) => void): Promise<Json> {
  const lines: string[] = [];
  write(createLogger('info', { write: (line: string) => void lines.push(line) }));
  expect(lines).toHaveLength(1);
  return toJson(JSON.parse(lines[0] ?? ''));
}

const quoting = (over: object = {}): Error =>
  Object.assign(new TypeError(`It broke at ${SECRET}\n    at ${SECRET}`, { cause: new Error(SECRET) }), {
    detail: SECRET,
    ...over,
  });
const where = expect.stringMatching(/^at .*logger\.test\.ts:\d+:\d+/);

test('a log line of the SDK about a failed workflow has the classes of its error and the positions, but no text', async () => {
  const line = await lineOf((logger) =>
    toTemporalLogger(logger).error('Workflow failed', { error: quoting(), workflowId: 'run:acme:1' }),
  );
  const cause = { type: 'Error', stack: where };
  expect(line).toMatchObject({ workflowId: 'run:acme:1', error: { type: 'TypeError', stack: where, cause } });
  expect(JSON.stringify(line)).not.toContain(SECRET);
});

test.each([
  ['TOOL_FAILED', false],
  ['INTERNAL', true],
])('a log line of the SDK about a run that has failed with %s has the frames of the engine: %s', async (type, has) => {
  const failure = Object.assign(quoting(), { name: 'ApplicationFailure', type });
  const line = await lineOf((logger) => toTemporalLogger(logger).warn('Workflow failed', { error: failure }));
  expect(JSON.stringify(line).includes('"stack"')).toBe(has);
  expect(line).toMatchObject({ error: { code: type } });
});

test.each<[string, string, object, object]>([
  ['of a failed activity', 'Activity failed', { error: quoting(), activityType: 'record' }, { activityType: 'record' }],
  ['of the core', 'Failing workflow task', { run_id: 'e1', failure: `Failure { ${SECRET} }` }, { run_id: 'e1' }],
  [
    'that quotes an error',
    `Error while processing: ${SECRET}`,
    { error: quoting() },
    { msg: 'Error while processing' },
  ],
  ['that is an error', `It failed: ${SECRET}`, quoting(), { msg: 'It failed' }],
])('a log line of the SDK %s has nothing that quotes a value', async (_which, message, meta, expected) => {
  const line = await lineOf((logger) =>
    toTemporalLogger(logger).warn(message, Object.assign(meta, { sdkComponent: 'worker' })),
  );
  expect(line).toMatchObject(expected);
  expect(JSON.stringify(line)).not.toContain(SECRET);
});

test('a line of an activity is written as it is', async () => {
  const meta = { sdkComponent: 'activity', code: 'TOOL_FAILED', message: 'no' };
  const line = await lineOf((logger) => toTemporalLogger(logger).warn('a call failed: why', meta));
  expect(line).toMatchObject({ ...meta, msg: 'a call failed: why' });
});

test.each<[string, unknown, object]>([
  [
    'of the system',
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' },
  ],
  [
    'of the database about a statement',
    Object.assign(new Error('no table'), { code: '42P01', severity: 'ERROR' }),
    { code: '42P01', message: 'no table' },
  ],
  ['of the setup', new SetupError('no file'), { type: 'SetupError', message: 'no file' }],
  [
    'of a server that is away',
    Object.assign(new Error('away'), { code: 14, metadata: {} }),
    { code: 14, message: 'away' },
  ],
  [
    'of the database about data',
    quoting({ code: '22P02', severity: 'ERROR', table: 'runs' }),
    { code: '22P02', table: 'runs' },
  ],
  ['of a refusing server', quoting({ code: 3, metadata: {} }), { code: 3 }],
  ['of an activity', quoting({ type: 'INTERNAL' }), { code: 'INTERNAL' }],
  ['of several', Object.assign(quoting(), { errors: [quoting()] }), { errors: [{ type: 'TypeError' }] }],
  ['that is a text', SECRET, {}],
])('an error %s has its text only if that says no values', async (_which, error, expected) => {
  const described = await lineOf((logger) => logger.warn({ error }, 'no'));
  const first = await lineOf((logger) => logger.warn(error instanceof Error ? error : new Error(SECRET)));
  expect(at(described, '/error')).toMatchObject(expected);
  expect(JSON.stringify([described, first])).not.toContain(SECRET);
});

test('a long text of the SDK is truncated', async () => {
  const error = `code: Unavailable, message: ${'x'.repeat(9_000)}`;
  const line = await lineOf((logger) => toTemporalLogger(logger).warn('Polling failed', { run_id: 'e1', error }));
  expect(line).toMatchObject({ run_id: 'e1', reason: expect.stringMatching(/^code: Unavailable.{1900,2000}$/) });
});

test('an error with a megabyte of text is logged in a short line', async () => {
  const file = join(folder, 'quoting');
  const long = 'x'.repeat(1_000_000);
  const error = Object.assign(new Error(long, { cause: new Error(long) }), { detail: long, query: { values: [long] } });
  createLogger('info', file).warn({ error, path: long }, `it failed: ${long}`);
  const line = await vi.waitFor(
    async () => await readFile(file, 'utf8').then((text) => text.trim() || Promise.reject()),
    PATIENTLY,
  );
  expect(line.length).toBeLessThan(20_000);
  expect(JSON.parse(line)).toMatchObject({ error: { type: 'Error' }, msg: expect.stringContaining('it failed: xxx') });
});

test('a log file that can not be opened is refused at once, with its name', () => {
  expect(() => createLogger('info', folder)).toThrow(`The log can't be written to ${folder}: EISDIR`);
});
