import type { Schedule } from 'holdfast/client';
import { describe, expect, test } from 'vitest';
import {
  readSpan,
  toChange,
  toForm,
  toNewSchedule,
  formatTimes,
} from '../../../../console/src/pages/schedules/schedule-draft.ts';
import { SCHEDULE_EXAMPLE } from '../../../../src/api/schemas/schedule.ts';

const SCHEDULE: Schedule = SCHEDULE_EXAMPLE;

describe('the request that changes a schedule', () => {
  const form = toForm(SCHEDULE);

  test('the console’s request that changes a schedule contains only the fields that differ', () => {
    expect(toChange(SCHEDULE, form)).toEqual({});
    expect(toChange(SCHEDULE, { ...form, overlap: 'allow', input: { number: 'A-2' } })).toEqual({
      overlap: 'allow',
      input: { number: 'A-2' },
    });
  });

  test('the console’s request that changes a schedule clears fields that have been emptied', () => {
    const before = { ...SCHEDULE, threadId: 'ann', metadata: { a: 1 } };
    const { threadId: _, metadata: __, ...others } = toForm(before);
    expect(toChange(before, others)).toEqual({ threadId: null, metadata: {} });
  });

  test('the console’s request that changes a schedule replaces one kind of times by the other', () => {
    const { cron: _, ...others } = form;
    expect(toChange(SCHEDULE, { ...others, every: '10m' })).toEqual({ every: '10m' });
  });
});

test('the console’s request for a new schedule contains the values of the form', () => {
  expect(toNewSchedule({ graph: 'g', every: '1h', cron: null, paused: false })).toEqual({
    graph: 'g',
    every: '1h',
    paused: false,
  });
  expect(toNewSchedule(undefined)).toEqual({ graph: '' });
});

test('the console formats the times of a schedule as text', () => {
  expect(formatTimes(SCHEDULE)).toBe('30 6 * * MON-FRI in Europe/Berlin');
  expect(formatTimes({ cron: null, every: '10m', timeZone: 'UTC' })).toBe('every 10m');
});

test('the console parses the time span of a backfill from the local times of the form', () => {
  expect(readSpan({ from: '2026-11-20T06:00:00+01:00', to: '2026-11-21T00:00:00Z' })).toEqual({
    from: '2026-11-20T05:00:00.000Z',
    to: '2026-11-21T00:00:00.000Z',
  });
  expect(readSpan({ from: '2026-11-20', to: 'later' })).toEqual({
    from: new Date('2026-11-20T00:00').toISOString(),
    to: 'later',
  });
});
