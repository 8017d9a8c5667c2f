import { expect, test } from 'vitest';
import { connectWithRetry, keepParts } from '../../../src/process/connect-with-retry.ts';
import { createLogger } from '../../../src/process/logger.ts';
import { SetupError } from '../../../src/process/setup-error.ts';

const patience = (signal = new AbortController().signal) => ({
  logger: createLogger('silent'),
  unavailable: new Set<string>(),
  signal,
});
const failing = (reason: Error, isAway: boolean) => ({
  name: 'Temporal',
  open: async () => await Promise.reject(reason),
  isAway: () => isAway,
});

test('an unavailable dependency of a process is retried until the abort signal fires', async () => {
  const given = new AbortController();
  const waiting = connectWithRetry(failing(new Error('away'), true), patience(given.signal));
  setTimeout(() => given.abort(), 50);
  await expect(waiting).rejects.toThrow('aborted');
});

test('a refused connection to a dependency is reported with the messages of its causes', async () => {
  const error = new Error('not brought up to date', { cause: new Error('no rights') });
  const refusal = connectWithRetry(failing(error, false), patience());
  await expect(refusal).rejects.toThrow(new SetupError('Temporal refuses: not brought up to date: no rights'));
});

test('a setup error of a dependency is thrown as it is', async () => {
  const error = new SetupError('a.json is wrong');
  await expect(connectWithRetry(failing(error, false), patience())).rejects.toBe(error);
});

test('connections of a process are closed together, also one that opens when the others close', async () => {
  const closed: string[] = [];
  const close = async (name: string): Promise<void> => void closed.push(name);
  const parts = keepParts();
  expect(await parts.keep('early', close)).toBe('early');
  const waiting = parts.keep(
    new Promise<string>((resolve) => parts.closing.addEventListener('abort', () => resolve('late'))),
    close,
  );
  await parts.close();
  expect(await waiting).toBe('late');
  expect(closed).toEqual(['early', 'late']);
});

test('a connection that fails to open or to close does not keep others open', async () => {
  const closed: string[] = [];
  const parts = keepParts();
  await parts.keep(Promise.reject(new Error('away')), async () => closed.push('away')).catch(() => undefined);
  await parts.keep('broken', async () => await Promise.reject(new Error('broken')));
  await parts.keep('whole', async (name) => closed.push(name));
  await expect(parts.close()).rejects.toThrow('broken');
  expect(closed).toEqual(['whole']);
});
