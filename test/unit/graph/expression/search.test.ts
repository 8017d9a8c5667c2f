import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexOfText, lastIndexOfText, splitText } from '../../../../src/graph/expression/functions.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 60 });
const wanted = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 12 });

describe('the search in texts of expressions', () => {
  test('searching texts in expressions, forwards and backwards, gives the same results as JavaScript', () => {
    fc.assert(
      fc.property(text, wanted, fc.nat(70), (all, part, from) => {
        expect(indexOfText(all, part, from)).toBe(all.indexOf(part, from));
        expect(indexOfText(all, part)).toBe(all.indexOf(part));
        expect(lastIndexOfText(all, part, from)).toBe(all.lastIndexOf(part, from));
        expect(lastIndexOfText(all, part)).toBe(all.lastIndexOf(part));
      }),
    );
  });

  test('splitting a text in expressions gives the same results as JavaScript', () => {
    fc.assert(
      fc.property(text, wanted, fc.nat(5), (all, part, limit) => {
        expect(splitText(all, part, limit + 1)).toEqual(all.split(part, limit + 1));
      }),
    );
  });
});

test('searching a repetitive text in an expression does not take quadratic time', () => {
  const half = 'a'.repeat(250_000);
  expect(indexOfText('a'.repeat(1_000_000), `${half}b${half}`)).toBe(-1);
  expect(lastIndexOfText('a'.repeat(1_000_000), `${half}b`)).toBe(-1);
});
