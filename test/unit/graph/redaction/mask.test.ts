import { describe, expect, test } from 'vitest';
import { hideInWords, hideMasked, restoreMasked } from '../../../../src/graph/redaction/mask.ts';
import type { Mask } from '../../../../src/graph/redaction/mask.ts';
import type { Json } from '../../../../src/graph/values/json.ts';

const HIDDEN = '[redacted]';
const card: Mask = { in: 'object', parts: { card: HIDDEN } };
const deep: Mask = { in: 'object', parts: { list: { in: 'list', parts: { 1: card } } } };

describe('hideMasked', () => {
  test.each<[string, Mask | undefined, Json, Json]>([
    ['no mask', undefined, { card: 1 }, { card: 1 }],
    ['a whole value', HIDDEN, { card: 1 }, HIDDEN],
    ['words of a text are not kept', 'Pay [redacted]', 'Pay 1', HIDDEN],
    ['a member', card, { card: 1, euros: 2 }, { card: HIDDEN, euros: 2 }],
    ['a missing member', card, { euros: 2 }, { euros: 2 }],
    ['an item of a list', deep, { list: [0, { card: 1, x: 1 }] }, { list: [0, { card: HIDDEN, x: 1 }] }],
    ['an object in place of a list', deep, { list: { 1: { card: 1 } } }, { list: HIDDEN }],
    ['a list in place of an object', card, [1], HIDDEN],
    ['a text in place of an object', card, '1', HIDDEN],
  ])('%s', (...[, mask, value, shown]) => {
    expect(hideMasked(value, mask)).toEqual(shown);
  });

  test('words are kept where they are asked for', () => {
    expect(hideInWords({ card: 'Pay 1', n: 1 }, { in: 'object', parts: { card: 'Pay [redacted]' } })).toEqual({
      card: 'Pay [redacted]',
      n: 1,
    });
  });
});

describe('restoreMasked', () => {
  test.each<[string, Mask, Json, Json, Json]>([
    ['what was hidden', card, { card: HIDDEN, euros: 3 }, { card: 1, euros: 2 }, { card: 1, euros: 3 }],
    ['not what a person has replaced', card, { card: 5 }, { card: 1 }, { card: 5 }],
    ['not in other places', card, { euros: HIDDEN }, { card: 1 }, { euros: HIDDEN }],
    ['a whole value', HIDDEN, HIDDEN, [1], [1]],
    ['a value that was hidden as it had another form', card, HIDDEN, [1], [1]],
    [
      'an item of a list',
      deep,
      { list: [0, { card: HIDDEN }] },
      { list: [9, { card: 1 }] },
      { list: [0, { card: 1 }] },
    ],
    [
      'nothing of an item that is new',
      deep,
      { list: [0, { card: HIDDEN }] },
      { list: [9] },
      { list: [0, { card: HIDDEN }] },
    ],
  ])('puts back %s', (...[, mask, given, real, restored]) => {
    expect(restoreMasked(given, real, mask)).toEqual(restored);
  });
});
