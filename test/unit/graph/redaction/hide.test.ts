import { expect, test } from 'vitest';
import { hideDelta, hideRefusal, hideWaiting } from '../../../../src/graph/redaction/hide.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import type { NodeRedaction } from '../../../../src/graph/redaction/redaction.ts';
import { aDelta } from '../../../support/builders/store-builders.ts';
import type { Refusal } from '../../../../src/graph/run/occurrence.ts';
import type { WaitingFor } from '../../../../src/graph/journal/run-view.ts';

const inner = { channels: [], nodes: { think: { result: true } } } as const;

test.each([
  ['no, because nothing is redacted', NOTHING_REDACTED, aDelta(), 'Hi'],
  [
    'yes, because the result is redacted',
    { ...NOTHING_REDACTED, nodes: { think: { result: true } } },
    aDelta(),
    '[redacted]',
  ],
  [
    'yes, because the calls are redacted',
    { ...NOTHING_REDACTED, nodes: { think: { calls: true } } },
    aDelta(),
    '[redacted]',
  ],
  ['no, because only errors are redacted', { ...NOTHING_REDACTED, nodes: { think: { error: true } } }, aDelta(), 'Hi'],
  ['no, because another node is redacted', { ...NOTHING_REDACTED, nodes: { act: { result: true } } }, aDelta(), 'Hi'],
  [
    'yes, in a graph inside',
    { ...NOTHING_REDACTED, nodes: { outer: { inside: inner } } },
    aDelta({ path: ['outer'] }),
    '[redacted]',
  ],
  [
    'no, because only a graph inside is redacted',
    { ...NOTHING_REDACTED, nodes: { outer: { inside: inner } } },
    aDelta(),
    'Hi',
  ],
] as const)('the text of a streamed delta is redacted or not: %s', (...[, redaction, delta, text]) => {
  expect(hideDelta(delta, redaction)).toEqual({ ...delta, text });
});

const redaction = { ...NOTHING_REDACTED, channels: ['secret'] };
const hidden = '[redacted]';
const refusal = (path: string, over: Partial<Refusal> = {}): Refusal => ({
  code: 'INVALID_VALUES',
  message: 'It is 7',
  issues: [{ path, message: 'It is 7' }],
  mayQuote: true,
  ...over,
});

test('error messages about redacted channels, and messages that may quote any value, are redacted', () => {
  for (const path of ['/values/secret', '/values', '/output'])
    expect(hideRefusal(refusal(path), redaction)).toMatchObject({
      message: hidden,
      issues: [{ path, message: hidden }],
    });
  const { issues: _none, ...bare } = refusal('');
  expect(hideRefusal(bare, redaction)).toEqual({ ...bare, message: hidden });
});

test('error messages about visible channels stay visible', () => {
  const ofOther = refusal('/values/n');
  expect(hideRefusal(ofOther, redaction)).toBe(ofOther);
  const { mayQuote: _not, ...plain } = refusal('/values/secret');
  expect(hideRefusal(plain, redaction)).toBe(plain);
  const open = refusal('/values/secret');
  expect(hideRefusal(open, NOTHING_REDACTED)).toBe(open);
});

const AT = '2026-01-02T03:04:05.678Z';
const hiding = (a: NodeRedaction) => ({ ...NOTHING_REDACTED, nodes: { a } });

test('the names of awaited events and the times of timers are redacted if they contain redacted values', () => {
  const event: WaitingFor = { kind: 'event', node: 'a', id: 'paid-7', since: AT, deadline: AT };
  expect(hideWaiting(event, hiding({ fields: { event: 'paid-[redacted]' } }))).toEqual({ ...event, id: '[redacted]' });
  const timer: WaitingFor = { kind: 'timer', node: 'a', since: AT, deadline: AT };
  expect(hideWaiting(timer, hiding({ fields: { until: '[redacted]' } }))).toEqual({
    kind: 'timer',
    node: 'a',
    since: AT,
  });
  expect(hideWaiting(timer, hiding({ error: true }))).toEqual(timer);
  expect(hideWaiting(timer, NOTHING_REDACTED)).toBe(timer);
});

test('the error of an awaited intervention in an inner node is redacted by the redaction of that node', () => {
  const inside = { channels: [], nodes: { a: { error: true } } } as const;
  const redaction = { ...NOTHING_REDACTED, nodes: { outer: { inside } } };
  const failed: WaitingFor = {
    kind: 'intervention',
    id: 'outer.1.0/a:1',
    node: 'a',
    since: AT,
    args: null,
    idempotencyKey: null,
    error: { code: 'TOOL_FAILED', message: 'It is 7' },
    choices: [],
  };
  expect(hideWaiting(failed, redaction)).toMatchObject({ args: null, error: { message: '[redacted]' } });
});
