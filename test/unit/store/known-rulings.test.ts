import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createKnownRulings, switchedOff } from '../../../src/store/known-rulings.ts';
import type { Rulings } from '../../../src/store/known-rulings.ts';
import type { Switch } from '../../../src/store/switches.ts';

const off = (name: string, tenants: Switch['tenants'] = null): Switch => ({
  kind: 'tool',
  name,
  state: 'off',
  reason: 'down',
  tenants,
  changedAt: '2026-01-02T03:04:05.678Z',
  changedBy: 'root',
});
const rulings = (...switches: readonly Switch[]): Rulings => ({ switchedOff: switches, tenants: new Map() });

/** Rulings that are asked of a database that answers as the test says. */
function known() {
  const answers: (() => Promise<Rulings>)[] = [];
  const seen = { asked: 0, now: 0 };
  const read = async (): Promise<Rulings> => {
    seen.asked += 1;
    return (await answers.shift()?.()) ?? rulings();
  };
  const answer = (next: () => Promise<Rulings>): void => void answers.push(next);
  return { seen, answer, rulings: createKnownRulings(read, () => seen.now) };
}

const namesIn = ({ switchedOff: switches }: Rulings): readonly string[] => switches.map(({ name }) => name);
const away = async (): Promise<Rulings> => await Promise.reject(new Error('the database is away'));

test('the database is asked once in a second, however many want to know, and nobody waits for it within two', async () => {
  const { seen, answer, rulings: all } = known();
  answer(async () => rulings(off('pay')));
  await Promise.all([all.now(), all.now(), all.now()]);
  seen.now = 999;
  expect([namesIn(await all.now()), seen.asked]).toEqual([['pay'], 1]);
  seen.now = 1_000;
  answer(async () => rulings(off('mail')));
  expect([namesIn(await all.now()), seen.asked]).toEqual([['pay'], 2]);
  await nextTurn();
  expect([namesIn(await all.now()), seen.asked]).toEqual([['mail'], 2]);
});

test('what was known two seconds ago is not told before the database has answered', async () => {
  const { seen, answer, rulings: all } = known();
  answer(async () => rulings(off('pay')));
  await all.now();
  seen.now = 2_000;
  expect([namesIn(await all.now()), seen.asked]).toEqual([[], 2]);
});

test('while it is away, what was known last counts, and it is not asked all the time', async () => {
  const { seen, answer, rulings: all } = known();
  answer(async () => rulings(off('pay')));
  await all.now();
  answer(away);
  seen.now = 2_000;
  expect(namesIn(await all.now())).toEqual(['pay']);
  expect([namesIn(await all.now()), seen.asked]).toEqual([['pay'], 2]);
  seen.now = 4_000;
  expect([namesIn(await all.now()), seen.asked]).toEqual([[], 3]);
});

test('as long as nothing was ever known, nobody is told that all is on', async () => {
  const { answer, rulings: all } = known();
  answer(away);
  await expect(all.now()).rejects.toThrow('away');
  answer(async () => rulings(off('pay')));
  expect(namesIn(await all.now())).toEqual(['pay']);
});

test('a database that is slow holds nobody up who knows something', async () => {
  const { seen, answer, rulings: all } = known();
  answer(async () => rulings(off('pay')));
  await all.now();
  answer(async () => await new Promise<Rulings>(() => undefined));
  seen.now = 2_000;
  expect(namesIn(await all.now())).toEqual(['pay']);
  const isLater = vi.fn<() => void>();
  const later = nextTurn().then(isLater);
  for (let time = 0; time < 10; time += 1) await all.now();
  expect(isLater).not.toHaveBeenCalled();
  expect(seen.asked).toBe(2);
  await later;
});

test('after a change the next question is asked anew, and an earlier answer that comes late is not kept', async () => {
  const { answer, rulings: all } = known();
  await all.now();
  let answerLate: (late: Rulings) => void = () => undefined;
  answer(async () => await new Promise<Rulings>((resolve) => (answerLate = resolve)));
  all.forget();
  const early = all.now();
  answer(async () => rulings(off('pay')));
  all.forget();
  expect(namesIn(await all.now())).toEqual(['pay']);
  answerLate(rulings());
  await early;
  expect(namesIn(await all.now())).toEqual(['pay']);
});

test('a switch is for all tenants, or for those that it names', () => {
  const all = rulings(off('pay'), off('mail', ['acme']));
  const isOff = (name: string, tenantId: string) => switchedOff(all, { kind: 'tool', name }, tenantId) !== null;
  expect([isOff('pay', 'other'), isOff('mail', 'acme'), isOff('mail', 'other'), isOff('ship', 'acme')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(switchedOff(all, { kind: 'model', name: 'pay' }, 'acme')).toBeNull();
});
