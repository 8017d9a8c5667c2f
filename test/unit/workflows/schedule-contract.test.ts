import { expect, test } from 'vitest';
import {
  fromTemporalTime,
  toFireWorkflowId,
  toTemporalTime,
  triggerTime,
} from '../../../src/workflows/schedule-contract.ts';

const SCHEDULE = { tenantId: 'acme', id: 'S' };

test.each([
  '2026-01-01T00:00:09.000Z',
  triggerTime(Date.UTC(2026, 0, 1, 0, 0, 9, 999)),
  triggerTime(Date.UTC(2028, 1, 29, 23, 59, 59)),
])('the schedule’s fire at %s is found by the time that Temporal has for it', (at) => {
  expect(fromTemporalTime(Date.parse(toTemporalTime(at)))).toBe(at);
});

test('the workflow of a schedule’s trigger has another id than that of a fire in the same second', () => {
  const moment = Date.UTC(2026, 0, 1, 0, 0, 9);
  expect(toFireWorkflowId(SCHEDULE, new Date(moment).toISOString())).toBe('fire:acme:S-2026-01-01T00:00:09Z');
  expect(toFireWorkflowId(SCHEDULE, triggerTime(moment))).toBe('fire:acme:S-2126-01-01T00:00:09Z');
});
