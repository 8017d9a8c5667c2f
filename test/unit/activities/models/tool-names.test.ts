import { array, assert, oneof, property, stringMatching } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapToolNames, toProviderCallId } from '../../../../src/activities/models/tool-names.ts';

const TAKEN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

describe('mapToolNames', () => {
  test.each([
    ['lookup', 'lookup'],
    ['crm.lookup', 'crm_lookup'],
    ['crm:orders.find', 'crm_orders_find'],
    ['2fa', '_2fa'],
    ['-x', '_-x'],
    ['', '_'],
  ])('%j is %s', (name, spelling) => {
    expect(mapToolNames([name]).toProvider(name)).toBe(spelling);
  });

  test('a name that is taken as it is keeps its spelling from one that is not', () => {
    const names = mapToolNames(['crm.lookup', 'crm_lookup']);
    expect(names.toProvider('crm_lookup')).toBe('crm_lookup');
    expect(names.toProvider('crm.lookup')).toMatch(/^crm_lookup_[0-9a-f]{16}$/);
  });

  test('a name that nobody asked for stays as it is', () => {
    expect(mapToolNames(['crm.lookup']).fromProvider('made_up')).toBe('made_up');
    expect(mapToolNames([]).fromProvider('constructor')).toBe('constructor');
  });

  test('the order of the names does not matter', () => {
    const [names, others] = [mapToolNames(['a.b', 'a:b']), mapToolNames(['a:b', 'a.b'])];
    expect(names.toProvider('a:b')).toBe(others.toProvider('a:b'));
  });

  test('every name comes back, and is taken', () => {
    const name = oneof(stringMatching(/^[ab_.:-]{1,4}$/), stringMatching(/^[A-Za-z0-9_.:-]{60,64}$/));
    assert(
      property(array(name), (all) => {
        const names = mapToolNames(all);
        const spellings = all.map((each) => names.toProvider(each));
        expect(spellings.every((spelling) => TAKEN.test(spelling))).toBe(true);
        expect(spellings.map((spelling) => names.fromProvider(spelling))).toEqual(all);
      }),
    );
  });
});

describe('toProviderCallId', () => {
  test.each(['toolu_01A', 'call-7', 'x'.repeat(64)])('%s is taken as it is', (id) => {
    expect(toProviderCallId(id)).toBe(id);
  });

  test.each(['', 'run/1:t2', 'x'.repeat(65)])('%j becomes another, always the same', (id) => {
    expect(toProviderCallId(id)).toMatch(/^call_[0-9a-f]{16}$/);
    expect(toProviderCallId(id)).toBe(toProviderCallId(id));
  });
});
