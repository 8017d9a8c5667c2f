import { expect, test } from 'vitest';
import { createTeller } from '../../../../src/store/deltas/teller.ts';

/** A database whose statements end when a test says so. */
function aSlowDatabase() {
  const statements: { readonly payloads: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const tell = createTeller(
    (payloads) =>
      new Promise<void>((resolve, reject) => {
        statements.push({ payloads: [...payloads], end: (error) => (error ? reject(error) : resolve()) });
      }),
  );
  return { statements, tell };
}

test('what comes while a statement runs is sent together, in its order', async () => {
  const { statements, tell } = aSlowDatabase();
  const first = tell(['a']);
  await expect.poll(() => statements.length).toBe(1);
  const later = Promise.all([tell(['b', 'c']), tell(['d'])]);
  statements[0]?.end();
  await first;
  await expect.poll(() => statements.map(({ payloads }) => payloads)).toEqual([['a'], ['b', 'c', 'd']]);
  statements[1]?.end();
  await later;
});

test('a statement that fails loses what it sends, and nothing else', async () => {
  const { statements, tell } = aSlowDatabase();
  const lost = tell(['a']);
  await expect.poll(() => statements.length).toBe(1);
  statements[0]?.end(new Error('away'));
  await expect(lost).rejects.toThrow('away');
  const next = tell(['b']);
  await expect.poll(() => statements.length).toBe(2);
  statements[1]?.end();
  await expect(next).resolves.toBeUndefined();
});

test('what finds too many waiting is lost, without waiting', async () => {
  const { statements, tell } = aSlowDatabase();
  void tell(['first']);
  await expect.poll(() => statements.length).toBe(1);
  void tell(Array.from({ length: 500 }, () => 'waits'));
  await expect(tell(['lost'])).resolves.toBeUndefined();
  statements[0]?.end();
  await expect.poll(() => statements[1]?.payloads).toEqual(Array.from({ length: 500 }, () => 'waits'));
});
