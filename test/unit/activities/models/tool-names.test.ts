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
  ])('the tool name %j is mapped to %s for providers', (name, spelling) => {
    expect(mapToolNames([name]).toProvider(name)).toBe(spelling);
  });

  test('a tool name that providers accept keeps its spelling, and a mapped name gets another one', () => {
    const names = mapToolNames(['crm.lookup', 'crm_lookup']);
    expect(names.toProvider('crm_lookup')).toBe('crm_lookup');
    expect(names.toProvider('crm.lookup')).toMatch(/^crm_lookup_[0-9a-f]{16}$/);
  });

  test('an unknown tool name of a reply is unchanged', () => {
    expect(mapToolNames(['crm.lookup']).fromProvider('made_up')).toBe('made_up');
    expect(mapToolNames([]).fromProvider('constructor')).toBe('constructor');
  });

  test('the mapping of tool names does not depend on their order', () => {
    const [names, others] = [mapToolNames(['a.b', 'a:b']), mapToolNames(['a:b', 'a.b'])];
    expect(names.toProvider('a:b')).toBe(others.toProvider('a:b'));
  });

  test('every mapped tool name is accepted by providers and mapped back', () => {
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
  test.each(['toolu_01A', 'call-7', 'x'.repeat(64)])('the tool call id %s is unchanged for providers', (id) => {
    expect(toProviderCallId(id)).toBe(id);
  });

  test.each(['', 'run/1:t2', 'x'.repeat(65)])(
    'the tool call id %j is always mapped to the same id for providers',
    (id) => {
      expect(toProviderCallId(id)).toMatch(/^call_[0-9a-f]{16}$/);
      expect(toProviderCallId(id)).toBe(toProviderCallId(id));
    },
  );
});
