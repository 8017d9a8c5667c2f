import { describe, expect, test } from 'vitest';
import type { TimerEffect } from '../../../src/graph/run/effect.ts';
import { MAX_TIMERS, createTimers } from '../../../src/workflows/timers.ts';
import type { Timers } from '../../../src/workflows/timers.ts';
import { createRandom } from '../../support/builders/random.ts';

interface FakeTemporal {
  readonly timers: Timers;
  readonly fired: string[];
  /** The ids of the timers that Temporal has. */
  readonly set: () => readonly string[];
  /** The number of timers that Temporal was asked for. */
  readonly asked: () => number;
  /** Fires the timer that was set under an id, even if it was canceled since. */
  readonly fire: (id: string) => () => Promise<void>;
  readonly fireNext: () => Promise<void>;
}

/** A Temporal whose timers fire when they are told to. */
function aTemporal(): FakeTemporal {
  const open = new Map<string, { readonly timer: TimerEffect; readonly fire: () => void }>();
  const fired: string[] = [];
  let asked = 0;
  let beingSet: { timer: TimerEffect; fire: () => void } | null = null;
  const timers = createTimers({
    scopes: {
      async open(key, begin) {
        const result = begin();
        if (beingSet) open.set(key, beingSet);
        return await result;
      },
      cancel: (key) => void open.delete(key),
      close: (key) => void open.delete(key),
    },
    sleep: async (timer) => {
      asked += 1;
      await new Promise<void>((resolve) => (beingSet = { timer, fire: resolve }));
    },
    fire: ({ id, fireAt }) => void fired.push(`${id}@${fireAt}`),
  });
  const fireAnyway = (id: string) => {
    const was = open.get(id);
    return async () => {
      was?.fire();
      await new Promise((resolve) => setImmediate(resolve));
    };
  };
  return {
    timers,
    fired,
    set: () => [...open.keys()],
    asked: () => asked,
    fire: fireAnyway,
    async fireNext() {
      const [next] = [...open.values()].sort((a, b) => a.timer.fireAt - b.timer.fireAt);
      await fireAnyway(next?.timer.id ?? '')();
    },
  };
}

const aTimer = (id: string, fireAt: number): TimerEffect => ({ kind: 'timer', id, fireAt, summary: id });

describe('a timer that has fired already', () => {
  test('a timer that has fired already is ignored after its cancellation', async () => {
    const { timers, fired, fire } = aTemporal();
    timers.start(aTimer('deadline', 10));
    const late = fire('deadline');
    timers.cancel('deadline');
    await late();
    expect(fired).toEqual([]);
  });

  test('a timer that has fired already is ignored after its replacement, and the new timer fires and can be canceled', async () => {
    const { timers, fired, fire, set } = aTemporal();
    for (const id of ['deadline', 'other']) {
      timers.start(aTimer(id, 10));
      const late = fire(id);
      timers.cancel(id);
      timers.start(aTimer(id, 90));
      await late();
    }
    expect([fired, set()]).toEqual([[], ['deadline', 'other']]);
    timers.cancel('other');
    await fire('deadline')();
    expect([fired, set()]).toEqual([['deadline@90'], []]);
  });
});

describe('timers beyond the maximum in Temporal', () => {
  const MANY = 3 * MAX_TIMERS;

  test.each([
    ['in the order in which they are due', (at: number) => at],
    ['in the opposite order', (at: number) => MANY - at],
    ['all for the same moment', () => 7],
  ])('timers beyond the maximum in Temporal fire one after the other, started %s', async (_, fireAtOf) => {
    const { timers, fired, set, fireNext } = aTemporal();
    const all = Array.from({ length: MANY }, (_each, at) => aTimer(`t${at}`, fireAtOf(at)));
    for (const timer of all) timers.start(timer);
    expect([set().length, timers.count()]).toEqual([MAX_TIMERS, MAX_TIMERS]);
    for (let count = 0; count < MANY; count += 1) await fireNext();
    const expected = [...all].sort((a, b) => a.fireAt - b.fireAt).map(({ id, fireAt }) => `${id}@${fireAt}`);
    expect(fired.map((one) => Number(one.split('@')[1]))).toEqual(expected.map((one) => Number(one.split('@')[1])));
    expect(new Set(fired)).toEqual(new Set(expected));
    expect(set()).toEqual([]);
  });

  test('waiting timers beyond the maximum in Temporal start no timer when they are canceled', () => {
    const { timers, set, asked } = aTemporal();
    for (let at = 0; at < MANY; at += 1) timers.start(aTimer(`t${at}`, at));
    for (let at = MANY - 1; at >= MAX_TIMERS; at -= 1) timers.cancel(`t${at}`);
    expect([set().length, asked()]).toEqual([MAX_TIMERS, MAX_TIMERS]);
  });

  test.each([1, 2, 3, 4, 5])(
    'timers beyond the maximum in Temporal fire in order of their due times, although timers are canceled, added and replaced (%i)',
    async (seed) => {
      const random = createRandom(seed);
      const { timers, fired, set, fireNext } = aTemporal();
      const open = new Map<string, number>();
      const expected: number[] = [];
      let now = 0;
      for (let step = 0; step < 1_500; step += 1) {
        const kind = random.next();
        const id = `t${Math.floor(random.next() * 2 * MANY)}`;
        if (kind < 0.55) {
          const fireAt = now + Math.floor(random.next() * 1_000);
          if (open.has(id)) timers.cancel(id);
          open.set(id, fireAt);
          timers.start(aTimer(id, fireAt));
        } else if (kind < 0.7) {
          open.delete(id);
          timers.cancel(id);
        } else if (open.size > 0) {
          now = Math.min(...open.values());
          await fireNext();
          open.delete(fired.at(-1)?.split('@')[0] ?? '');
          expected.push(now);
        }
        expect(set().length).toBeLessThanOrEqual(MAX_TIMERS);
      }
      expect(fired.map((one) => Number(one.split('@')[1]))).toEqual(expected);
    },
  );
});
