import { expect, test } from 'vitest';
import { keepParts } from '../../../src/process/keep-parts.ts';

test('parts are closed together, also one that opens when the others close', async () => {
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

test('a part that does not open, or does not close, keeps no other open', async () => {
  const closed: string[] = [];
  const parts = keepParts();
  await parts.keep(Promise.reject(new Error('away')), async () => closed.push('away')).catch(() => undefined);
  await parts.keep('broken', async () => await Promise.reject(new Error('broken')));
  await parts.keep('whole', async (name) => closed.push(name));
  await expect(parts.close()).rejects.toThrow('broken');
  expect(closed).toEqual(['whole']);
});
