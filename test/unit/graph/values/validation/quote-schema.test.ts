import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteSchema } from '../../../../../src/graph/values/validation/keyword.ts';
import { abbreviate } from '../../../../../src/graph/values/text.ts';

test('quoteSchema truncates the JSON of a schema', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ maxLength: 300, unit: 'binary' }), (value, text) => {
      const quoted = JSON.parse(JSON.stringify([value, text, { [text]: value }]));
      for (const one of [quoted, ...quoted]) expect(quoteSchema(one)).toBe(abbreviate(JSON.stringify(one), 120));
    }),
  );
});
