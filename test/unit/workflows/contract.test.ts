import { expect, test } from 'vitest';
import { toJson } from '../../../src/graph/values/to-json.ts';
import { isStart } from '../../../src/workflows/contract.ts';
import { aStart } from '../../support/builders/store-builders.ts';

const start = aStart();

const STARTS: readonly object[] = [
  start,
  { ...start, redaction: { channels: [], nodes: {}, graphs: {} }, queuedSignals: [] },
  { ...start, trace: { parent: '00-1-2-01', graph: 'refund', threadId: null, isRedacted: true } },
  { ...start, begin: { kind: 'input', input: { order: 7 }, startAt: null, breakpoints: { before: ['a'], after: [] } } },
  { ...start, begin: { kind: 'fork', fork: {} } },
  { ...start, begin: { kind: 'reopen', run: { format: 1 }, name: 'retry', payload: { signalId: 's' } } },
];

test.each(STARTS)('a stored start request of a run is valid: %j', (value) => {
  expect(isStart(toJson(value))).toBe(true);
});

const OTHERS: readonly unknown[] = [
  null,
  'start',
  {},
  { interpreterVersion: 1 },
  { ...start, interpreterVersion: '1' },
  { ...start, execution: undefined },
  { ...start, identity: { ...start.identity, tenantId: undefined } },
  { ...start, identity: { ...start.identity, createdBy: { sub: 'ann', roles: 'user' } } },
  { ...start, identity: { ...start.identity, createdBy: { sub: 'ann', roles: [], may: ['everything'] } } },
  { ...start, definition: [] },
  { ...start, begin: { kind: 'end' } },
  { ...start, begin: { kind: 'fork' } },
  { ...start, begin: { kind: 'reopen', run: {}, name: 'retry', payload: {} } },
  { ...start, trace: { parent: '00-1-2-01', graph: 'refund', threadId: null, isRedacted: false } },
  { ...start, queuedSignals: [{ name: 'event', payload: {} }] },
];

test.each(OTHERS)('another value is not a start request of a run: %j', (value) => {
  expect(isStart(value)).toBe(false);
});
