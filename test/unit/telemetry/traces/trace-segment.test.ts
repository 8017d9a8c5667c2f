import { describe, expect, test } from 'vitest';
import { ROOT, partOfCall, spanContextOf } from '../../../../src/telemetry/traces/trace-segment.ts';
import { aTraceSegment } from '../../../support/builders/trace-segments.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('ids of spans', () => {
  test('span ids are the same each time, and differ for another part, run or segment', () => {
    const ids = [
      spanContextOf(aTraceSegment(), ROOT),
      spanContextOf(aTraceSegment(), { kind: 'step', path: [], step: 0 }),
      spanContextOf(aTraceSegment(), { kind: 'node', node: 'a', visit: 1 }),
      spanContextOf(aTraceSegment(), { kind: 'node', node: 'a', visit: 1, index: 0 }),
      spanContextOf(aTraceSegment({ runId: 'R2' }), ROOT),
      spanContextOf(aTraceSegment({ segment: '1.2' }), ROOT),
    ].map(({ spanId }) => spanId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(spanContextOf(aTraceSegment(), ROOT).spanId).toBe(ids[0]);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
  });

  test('spans belong to the trace of the request in the first segment, later to a trace of their own', () => {
    expect(spanContextOf(aTraceSegment(), ROOT).traceId).toBe(TRACE);
    const later = spanContextOf(aTraceSegment({ segment: '1.2' }), ROOT).traceId;
    expect(later).toMatch(/^[0-9a-f]{32}$/);
    expect([TRACE, spanContextOf(aTraceSegment({ segment: '2.1' }), ROOT).traceId]).not.toContain(later);
  });
});

test.each([
  ['R1:pay:1:0:0', { node: 'pay', path: [], visit: 1 }],
  ['R1:pay#2:3:0:1', { node: 'pay', path: [], visit: 3, index: 2 }],
  ['R1:outer.1.0/inner#4.2.0/pay:1:0:0', { node: 'pay', path: ['outer', 'inner'], visit: 1 }],
])('the span of the call key %s belongs to the node’s span', (key, part) => {
  expect(partOfCall(key)).toEqual({ kind: 'node', ...part });
});

test.each(['R1:pay:1:0:0:undo', `R1:${'long/'.repeat(18)}~${'0'.repeat(64)}:1:0:0`, 'anything'])(
  'the span of the call key %s belongs to the segment’s span',
  (key) => {
    expect(partOfCall(key)).toBe(ROOT);
  },
);
