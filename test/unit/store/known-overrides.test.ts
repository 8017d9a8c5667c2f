import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createKnownOverrides, findSwitchedOff } from '../../../src/store/known-overrides.ts';
import type { CurrentOverrides } from '../../../src/store/known-overrides.ts';
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
const overrides = (...switches: readonly Switch[]): CurrentOverrides => ({ switchedOff: switches, tenants: new Map() });

/** Overrides read from a fake database whose answers the test controls. */
function known() {
  const answers: (() => Promise<CurrentOverrides>)[] = [];
  const seen = { asked: 0, now: 0 };
  const read = async (): Promise<CurrentOverrides> => {
    seen.asked += 1;
    return (await answers.shift()?.()) ?? overrides();
  };
  const answer = (next: () => Promise<CurrentOverrides>): void => void answers.push(next);
  return { seen, answer, overrides: createKnownOverrides(read, () => seen.now) };
}

const namesIn = ({ switchedOff: switches }: CurrentOverrides): readonly string[] => switches.map(({ name }) => name);
const away = async (): Promise<CurrentOverrides> => await Promise.reject(new Error('the database is away'));

test('the database is asked at most once a second, and callers wait for it only after two seconds', async () => {
  const { seen, answer, overrides: all } = known();
  answer(async () => overrides(off('pay')));
  await Promise.all([all.now(), all.now(), all.now()]);
  seen.now = 999;
  expect([namesIn(await all.now()), seen.asked]).toEqual([['pay'], 1]);
  seen.now = 1_000;
  answer(async () => overrides(off('mail')));
  expect([namesIn(await all.now()), seen.asked]).toEqual([['pay'], 2]);
  await nextTurn();
  expect([namesIn(await all.now()), seen.asked]).toEqual([['mail'], 2]);
});

test('overrides older than two seconds are not returned before the database has answered', async () => {
  const { seen, answer, overrides: all } = known();
  answer(async () => overrides(off('pay')));
  await all.now();
  seen.now = 2_000;
  expect([namesIn(await all.now()), seen.asked]).toEqual([[], 2]);
});

test('while the database is unavailable, the last known overrides are returned, and it is not asked constantly', async () => {
  const { seen, answer, overrides: all } = known();
  answer(async () => overrides(off('pay')));
  await all.now();
  answer(away);
  seen.now = 2_000;
  expect(namesIn(await all.now())).toEqual(['pay']);
  expect([namesIn(await all.now()), seen.asked]).toEqual([['pay'], 2]);
  seen.now = 4_000;
  expect([namesIn(await all.now()), seen.asked]).toEqual([[], 3]);
});

test('while no overrides are known yet, nothing is reported as switched on', async () => {
  const { answer, overrides: all } = known();
  answer(away);
  await expect(all.now()).rejects.toThrow('away');
  answer(async () => overrides(off('pay')));
  expect(namesIn(await all.now())).toEqual(['pay']);
});

test('a slow database delays nobody once overrides are known', async () => {
  const { seen, answer, overrides: all } = known();
  answer(async () => overrides(off('pay')));
  await all.now();
  answer(async () => await new Promise<CurrentOverrides>(() => undefined));
  seen.now = 2_000;
  expect(namesIn(await all.now())).toEqual(['pay']);
  const isLater = vi.fn<() => void>();
  const later = nextTurn().then(isLater);
  for (let time = 0; time < 10; time += 1) await all.now();
  expect(isLater).not.toHaveBeenCalled();
  expect(seen.asked).toBe(2);
  await later;
});

test('after a change the database is asked again, and a late answer to an earlier query is discarded', async () => {
  const { answer, overrides: all } = known();
  await all.now();
  let answerLate: (late: CurrentOverrides) => void = () => undefined;
  answer(async () => await new Promise<CurrentOverrides>((resolve) => (answerLate = resolve)));
  all.forget();
  const early = all.now();
  answer(async () => overrides(off('pay')));
  all.forget();
  expect(namesIn(await all.now())).toEqual(['pay']);
  answerLate(overrides());
  await early;
  expect(namesIn(await all.now())).toEqual(['pay']);
});

test('a switch applies to all tenants, or to those that it names', () => {
  const all = overrides(off('pay'), off('mail', ['acme']));
  const isOff = (name: string, tenantId: string) => findSwitchedOff(all, { kind: 'tool', name }, tenantId) !== null;
  expect([isOff('pay', 'other'), isOff('mail', 'acme'), isOff('mail', 'other'), isOff('ship', 'acme')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(findSwitchedOff(all, { kind: 'model', name: 'pay' }, 'acme')).toBeNull();
});
