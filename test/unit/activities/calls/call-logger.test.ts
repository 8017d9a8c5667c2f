import { open } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openCallLogger, withoutSecrets } from '../../../../src/activities/calls/call-logger.ts';
import type { CallLogger } from '../../../../src/activities/calls/call-logger.ts';
import type { CallTask } from '../../../../src/activities/calls/call-task.ts';
import { toJson } from '../../../../src/graph/values/to-json.ts';
import type { Json } from '../../../../src/graph/values/json.ts';
import { createLogger } from '../../../../src/process/logger.ts';
import { aTask, aToolRequest } from '../../../support/builders/call-builders.ts';

const CUSTOMER = 'canary-4711';

/** Writes a line about an error of the system that quotes a customer. @returns the line as JSON */
async function lineOf(
  write: (logger: CallLogger, error: unknown) => void,
  over: Partial<Pick<CallTask, 'hidesErrors'>> = {},
): Promise<Json> {
  const error: unknown = await open(`/data/${CUSTOMER}`).catch((thrown: unknown) => thrown);
  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  write(openCallLogger(log, aTask({ request: aToolRequest(), ...over }), 1), error);
  return toJson(JSON.parse(lines.join()));
}

test.each<[string, (logger: CallLogger, error: unknown) => void]>([
  ['the error', (logger, error) => logger.error(Object(error))],
  ['the error and a message', (logger, error) => logger.error(Object(error), 'no data')],
  ['the error as a field', (logger, error) => logger.warn({ error }, 'no data')],
  ['the error in a field', (logger, error) => logger.info({ found: [{ why: error }] })],
  [
    'an error from which secrets were removed',
    (logger, error) => withoutSecrets(logger, (text) => text).error({ error }),
  ],
])('a tool whose errors are hidden logs %s without its text', async (_what, write) => {
  const line = JSON.stringify(await lineOf(write, { hidesErrors: true }));
  expect(line).not.toContain(CUSTOMER);
  expect(line).toMatch(/\{"type":"Error","code":"ENOENT","stack":"[^"]*"\}/);
});

test('a tool whose errors are not hidden logs an error with its text', async () => {
  const error = { type: 'Error', code: 'ENOENT', message: expect.stringContaining(CUSTOMER) };
  expect(await lineOf((logger, thrown) => logger.error(Object(thrown)))).toMatchObject({ node: 'pay', error });
});

test('an error without its text has the positions at which it was thrown', async () => {
  const thrown = new RangeError(`no ${CUSTOMER}\n    at ${CUSTOMER} (/data/${CUSTOMER}:1:2)`);
  const stack = expect.stringMatching(/^at .*call-logger\.test\.ts:\d+:\d+/);
  const line = await lineOf((logger) => logger.error(thrown), { hidesErrors: true });
  expect(line).toMatchObject({ error: { type: 'RangeError', stack } });
  expect(JSON.stringify(line)).not.toContain(CUSTOMER);
});
