import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCallSlots } from '../../../../src/activities/calls/call-admission.ts';
import type { CallSlotLimits, CallSlots } from '../../../../src/activities/calls/call-admission.ts';

interface TestSlots {
  readonly slots: CallSlots;
  /** Advances the clock. */
  readonly pass: (ms: number) => void;
}

function openSlots(limits: Partial<CallSlotLimits> = {}): TestSlots {
  let now = 1_000_000;
  const slots = createCallSlots({ total: 12, perTenant: 12, ...limits }, () => now);
  return { slots, pass: (ms) => void (now += ms) };
}

/** Takes a slot. @returns a function that releases it; `null` if refused */
function take(slots: CallSlots, tenant: string): (() => void) | null {
  const slot = slots.take(tenant);
  return slot.kind === 'taken' ? slot.giveBack : null;
}

/** Tenants take slots in turn until none gets another one. @returns the number of slots of each */
function takeAll(slots: CallSlots, ...tenants: readonly string[]): readonly number[] {
  const taken = tenants.map(() => 0);
  for (let before = -1, sum = 0; sum > before;) {
    before = sum;
    for (const [at, tenant] of tenants.entries()) if (take(slots, tenant)) taken[at] = (taken[at] ?? 0) + 1;
    sum = taken.reduce((a, b) => a + b, 0);
  }
  return taken;
}

/** Returns the delay of a refused call. */
function refusal(slots: CallSlots, tenant = 'acme'): number {
  const slot = slots.take(tenant);
  if (slot.kind === 'refused') return slot.retryAfterMs;
  throw new Error('The slot was not refused');
}

describe('slots', () => {
  test.each<[readonly string[], readonly number[]]>([
    [['acme'], [6]],
    [
      ['acme', 'other'],
      [4, 4],
    ],
    [
      ['acme', 'other', 'third'],
      [3, 3, 3],
    ],
  ])(
    'free call slots are shared fairly: the tenants %j, which take as many as they get, have %j of 12',
    (tenants, expected) => {
      expect(takeAll(openSlots().slots, ...tenants)).toEqual(expected);
    },
  );

  test('call slots never exceed the limit of a tenant', () => {
    expect(takeAll(openSlots({ perTenant: 2 }).slots, 'acme')).toEqual([2]);
  });

  test('released call slots can be taken again', () => {
    const { slots } = openSlots({ total: 2 });
    const giveBack = take(slots, 'acme');
    expect(take(slots, 'acme')).toBeNull();
    giveBack?.();
    expect(take(slots, 'acme')).not.toBeNull();
  });

  test('call slots never exceed the total, and a tenant without any gets one while one is free', () => {
    const step = fc.record({ tenant: fc.integer({ min: 0, max: 5 }), gives: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 20 }), (steps, total) => {
        const { slots, pass } = openSlots({ total, perTenant: total });
        const open: { readonly tenant: number; readonly giveBack: () => void }[] = [];
        for (const { tenant, gives } of steps) {
          pass(1);
          const mustGet = open.length < total && open.every((one) => one.tenant !== tenant);
          const giveBack = gives ? null : take(slots, `t${tenant}`);
          if (gives) open.shift()?.giveBack();
          if (giveBack) open.push({ tenant, giveBack });
          expect(open.length).toBeLessThanOrEqual(total);
          expect(mustGet && !gives && giveBack === null).toBe(false);
        }
      }),
    );
  });
});

describe('the retry of a call without a slot', () => {
  test('calls refused for lack of a slot are retried one after the other while no call has ended', () => {
    const { slots } = openSlots({ total: 2 });
    take(slots, 'acme');
    expect([refusal(slots), refusal(slots), refusal(slots)]).toEqual([1_000, 1_025, 1_050]);
  });

  test('a call refused for lack of a slot is retried within half a minute, however many calls are waiting', () => {
    const { slots } = openSlots({ total: 2 });
    take(slots, 'acme');
    const times = Array.from({ length: 2_000 }, () => refusal(slots));
    expect(Math.max(...times)).toBe(30_000);
  });

  test('calls refused for lack of a slot are retried at the rate at which the calls of their tenant end', () => {
    const { slots, pass } = openSlots({ total: 4 });
    take(slots, 'acme');
    for (let ended = 0; ended < 3_000; ended++) {
      const giveBack = take(slots, 'acme');
      pass(10);
      giveBack?.();
    }
    take(slots, 'acme');
    const [first, second] = [refusal(slots), refusal(slots)];
    expect(first).toBe(1_000);
    expect(second - first).toBeGreaterThanOrEqual(5);
    expect(second - first).toBeLessThanOrEqual(10);
    pass(100_000);
    const [later, last] = [refusal(slots), refusal(slots)];
    expect(last - later).toBe(250);
  });

  test('the retry delay of a call without a slot does not depend on the calls of other tenants', () => {
    const { slots } = openSlots({ total: 12, perTenant: 1 });
    take(slots, 'acme');
    take(slots, 'other');
    for (let refused = 0; refused < 50; refused++) refusal(slots, 'acme');
    expect(refusal(slots, 'other')).toBe(1_000);
  });
});
