import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortJson } from '../../../../src/graph/values/text.ts';

test('shortJson writes a value as JSON, and cuts it at the limit', () => {
  const parsed = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(parsed, fc.integer({ min: 1, max: 60 }), (value, maxLength) => {
      const text = JSON.stringify(value);
      const cut = `${text.slice(0, maxLength).toWellFormed()}…`;
      expect(shortJson(value, maxLength)).toBe(text.length > maxLength ? cut : text);
    }),
  );
});

test('shortJson reads nothing beyond the limit', () => {
  const unread = new Proxy(
    Array.from({ length: 20 }, () => 'x'),
    {
      get(list, key) {
        if (typeof key === 'string' && Number(key) > 5) throw new Error('It is read');
        return Reflect.get(list, key);
      },
    },
  );
  expect(shortJson(unread, 10)).toBe('["x","x","…');
});
