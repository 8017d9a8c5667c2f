import { expect, test } from 'vitest';
import { hideRefusal } from '../../../../src/graph/redaction/hide-refusal.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import type { Refusal } from '../../../../src/graph/run/refusal.ts';

const redaction = { ...NOTHING_REDACTED, channels: ['secret'] };
const hidden = '[redacted]';
const refusal = (path: string, over: Partial<Refusal> = {}): Refusal => ({
  code: 'INVALID_VALUES',
  message: 'It is 7',
  issues: [{ path, message: 'It is 7' }],
  mayQuote: true,
  ...over,
});

test('messages about hidden channels are hidden, and those that may quote any', () => {
  for (const path of ['/values/secret', '/values', '/output'])
    expect(hideRefusal(refusal(path), redaction)).toMatchObject({
      message: hidden,
      issues: [{ path, message: hidden }],
    });
  const { issues: _none, ...bare } = refusal('');
  expect(hideRefusal(bare, redaction)).toEqual({ ...bare, message: hidden });
});

test('other messages stay', () => {
  const ofOther = refusal('/values/n');
  expect(hideRefusal(ofOther, redaction)).toBe(ofOther);
  const { mayQuote: _not, ...plain } = refusal('/values/secret');
  expect(hideRefusal(plain, redaction)).toBe(plain);
  const open = refusal('/values/secret');
  expect(hideRefusal(open, NOTHING_REDACTED)).toBe(open);
});
