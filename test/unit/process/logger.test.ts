import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLogger } from '../../../src/process/logger.ts';
import { toTemporalLogger } from '../../../src/process/temporal-logger.ts';
import { PATIENTLY } from '../../support/readers/api-runs.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

test('a log line of the Temporal SDK about a failed workflow contains its error', async () => {
  const file = join(folder, 'log');
  const error = new Error('it broke', { cause: new TypeError('inside') });
  toTemporalLogger(createLogger('info', file)).error('Workflow failed', { error, workflowId: 'run:acme:1' });
  const line = await vi.waitFor(async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8')), PATIENTLY);
  expect(line).toMatchObject({ workflowId: 'run:acme:1', error: { type: 'Error', stack: expect.any(String) } });
  expect(JSON.stringify(line)).toContain('it broke');
  expect(JSON.stringify(line)).toContain('inside');
});

test('a long text of the Temporal SDK is truncated in the log', async () => {
  const file = join(folder, 'cut');
  toTemporalLogger(createLogger('info', file)).warn('Failing workflow task', {
    run_id: 'e1',
    failure: 'x'.repeat(9_000),
  });
  const line = await vi.waitFor(async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8')), PATIENTLY);
  expect(line).toMatchObject({ run_id: 'e1', failure: 'x'.repeat(2_000) });
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
