import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCallIds } from '../../../../src/activities/models/to-prompt.ts';
import { aCall } from '../../../support/builders/conversations.ts';
import { growthOf } from '../../../support/readers/growth.ts';

describe('the ids of a request’s calls', () => {
  test('unique tool call ids of a request are unchanged', () => {
    const ids = createCallIds();
    expect(ids.open(aCall('k1'))).toBe('k1');
    expect(ids.open(aCall('k2'))).toBe('k2');
    expect(ids.close('k2')).toEqual({ id: 'k2', name: 'lookup' });
    expect(ids.close('k1')).toEqual({ id: 'k1', name: 'lookup' });
  });

  test('equal tool call ids of a request are made distinct, and answers follow their calls', () => {
    const ids = createCallIds();
    const [first, second] = [ids.open(aCall('k')), ids.open({ ...aCall('k'), name: 'charge' })];
    expect(first).toBe('k');
    expect(second).not.toBe('k');
    expect([ids.close('k'), ids.close('k'), ids.close('k')]).toEqual([
      { id: first, name: 'lookup' },
      { id: second, name: 'charge' },
      null,
    ]);
  });

  test('a tool answer without a call has no id in the request', () => {
    expect(createCallIds().close('k')).toBeNull();
  });

  test('making tool call ids distinct takes linear time when all are equal', () => {
    const growth = growthOf((size) => () => {
      const ids = createCallIds();
      for (let at = 0; at < size; at += 1) ids.open(aCall('k'));
      for (let at = 0; at < size; at += 1) ids.close('k');
    });
    expect(growth).toBeLessThan(1.6);
  });

  test('the tool call ids of a request are distinct, in a form that every provider accepts', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom('', 'k', 'k#2', 'k#3', 'k/1'), fc.string())), (given) => {
        const ids = createCallIds();
        const opened = given.map((id) => ids.open(aCall(id)));
        expect(new Set(opened).size).toBe(given.length);
        for (const id of opened) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(new Set(given.map((id) => ids.close(id)?.id))).toEqual(new Set(opened));
      }),
    );
  });
});
