import { expect, test } from 'vitest';
import type { WaitingFor } from '../../../../src/graph/journal/run-view.ts';
import { hideWaiting } from '../../../../src/graph/redaction/hide-waiting.ts';
import { NOTHING_REDACTED } from '../../../../src/graph/redaction/redaction.ts';
import type { NodeRedaction } from '../../../../src/graph/redaction/redaction.ts';

const AT = '2026-01-02T03:04:05.678Z';
const hiding = (a: NodeRedaction) => ({ ...NOTHING_REDACTED, nodes: { a } });

test('names of events and times are hidden where they were filled with hidden values', () => {
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

test('a node inside counts by its name', () => {
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
