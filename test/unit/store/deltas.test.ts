import { expect, test } from 'vitest';
import { packDeltas, readDeltas, createDeltaSender } from '../../../src/store/deltas.ts';
import { aDelta } from '../../support/builders/store-builders.ts';

const read = (payloads: readonly string[]) => payloads.flatMap(readDeltas).map(({ delta }) => delta);

test('notifications of model text deltas are limited in bytes to what PostgreSQL accepts', () => {
  const deltas = Array.from({ length: 20 }, (_, index) => aDelta({ index, text: 'ü'.repeat(1_000) }));
  const payloads = packDeltas('R', deltas);
  expect(read(payloads)).toEqual(deltas);
  expect(payloads.length).toBeGreaterThan(5);
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
});

test('a model text delta that is too long for a PostgreSQL notification is left out, and the deltas around it are kept', () => {
  const deltas = [aDelta({ index: 0 }), aDelta({ index: 1, text: '\u0001'.repeat(2_000) }), aDelta({ index: 2 })];
  expect(read(packDeltas('R', deltas))).toEqual([deltas[0], deltas[2]]);
});

test('an empty list of model text deltas needs no notification', () => {
  expect(packDeltas('R', [])).toEqual([]);
});

test.each(['', 'R', '7', 'null', '{"runId":"R"}', '[]'])(
  'a PostgreSQL notification of another sender holds no deltas: %j',
  (said) => {
    expect(readDeltas(said)).toEqual([]);
  },
);

/** A database whose statements end when the test allows it. */
function aSlowDatabase() {
  const statements: { readonly payloads: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const tell = createDeltaSender(
    (payloads) =>
      new Promise<void>((resolve, reject) => {
        statements.push({ payloads: [...payloads], end: (error) => (error ? reject(error) : resolve()) });
      }),
  );
  return { statements, tell };
}

test('model text deltas that arrive during a SQL statement are sent together, in order', async () => {
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

test('a failed SQL statement loses only its own model text deltas', async () => {
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

test('model text deltas that exceed the queue are dropped at once', async () => {
  const { statements, tell } = aSlowDatabase();
  void tell(['first']);
  await expect.poll(() => statements.length).toBe(1);
  void tell(Array.from({ length: 500 }, () => 'waits'));
  await expect(tell(['lost'])).resolves.toBeUndefined();
  statements[0]?.end();
  await expect.poll(() => statements[1]?.payloads).toEqual(Array.from({ length: 500 }, () => 'waits'));
});
