import { expect, test } from 'vitest';
import { createSharedSlots } from '../../../../src/store/blobs/shared-slots.ts';

/** Work whose end the test controls. */
function openWork(slots: ReturnType<typeof createSharedSlots>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string): Promise<void> =>
    slots(name.slice(0, 1), async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  return { begun, ask, end: (name: string) => ends.get(name)?.() };
}

test.each([
  [2, ['A1', 'A2', 'A3'], ['A1']],
  [2, ['A1', 'A2', 'B1', 'B2', 'C1'], ['A1', 'B1']],
  [4, ['A1', 'A2', 'A3', 'B1', 'B2'], ['A1', 'A2', 'B1']],
])('with %i shared slots, the pieces of work %j begin as %j', async (count, asked, expected) => {
  const { begun, ask } = openWork(createSharedSlots(count));
  for (const name of asked) void ask(name);
  await Promise.resolve();
  expect(begun).toEqual(expected);
});

test('a free slot goes to the first waiting owner whose share allows it', async () => {
  const { begun, ask, end } = openWork(createSharedSlots(2));
  const first = ask('A1');
  for (const name of ['A2', 'B1', 'B2']) void ask(name);
  await Promise.resolve();
  end('A1');
  await first;
  expect(begun).toEqual(['A1', 'B1', 'A2']);
});

test('work that fails releases its shared slot', async () => {
  const slots = createSharedSlots(1);
  await expect(slots('A', async () => await Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await slots('A', async () => await Promise.resolve('yes'))).toBe('yes');
});
