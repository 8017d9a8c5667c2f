import { expect, test } from 'vitest';
import {
  isBoolean,
  isExactly,
  isListOf,
  isNumber,
  isObjectOf,
  isText,
  orAbsent,
  orNull,
} from '../../../../src/graph/values/guards.ts';
import { isRunError } from '../../../../src/graph/values/errors.ts';

interface Order {
  readonly kind: 'order';
  readonly id: string;
  readonly count: number;
  readonly isPaid: boolean;
  readonly note: string | null;
  readonly tags?: readonly string[];
}

const isOrder = isObjectOf<Order>({
  kind: isExactly('order'),
  id: isText,
  count: isNumber,
  isPaid: isBoolean,
  note: orNull(isText),
  tags: orAbsent(isListOf(isText)),
});

const order = { kind: 'order', id: 'a', count: 1, isPaid: true, note: null };

test.each([order, { ...order, note: 'late' }, { ...order, tags: [] }, { ...order, tags: ['x'], more: 1 }])(
  'the type guard of an object type accepts an object with its fields: %j',
  (value) => expect(isOrder(value)).toBe(true),
);

test.each([
  null,
  [order],
  {},
  { ...order, kind: 'offer' },
  { ...order, id: 7 },
  { ...order, count: '1' },
  { ...order, isPaid: 'yes' },
  { ...order, note: undefined },
  { ...order, tags: ['x', 1] },
  { ...order, tags: null },
])('the type guard of an object type refuses a value without its fields: %j', (value) =>
  expect(isOrder(value)).toBe(false),
);

test('the type guard of errors requires a code and a message, and accepts a cause', () => {
  const error = { code: 'TOOL_FAILED', message: 'no' };
  expect([error, { ...error, cause: { code: 'X', message: 'why' } }].every(isRunError)).toBe(true);
  expect([{ code: 'TOOL_FAILED' }, { ...error, cause: 'why' }, { ...error, attempts: '1' }].some(isRunError)).toBe(
    false,
  );
});
