import { expect, test } from 'vitest';
import { judgeTick } from '../../../../src/api/schedules/take-turn.ts';
import type { TickPlace, TickVerdict } from '../../../../src/api/schedules/take-turn.ts';
import type { Overlap } from '../../../../src/store/schedules/schedule.ts';

const ALONE: TickPlace = { kind: 'time', isBusy: false, isBehind: false, isFollowed: false, isClosed: false };
const BUSY = { isBusy: true };
const BEHIND = { isBusy: true, isBehind: true };
const FOLLOWED = { isBusy: true, isFollowed: true };
const CLOSED = { isClosed: true };
const LATE = { kind: 'backfill' } as const;

test.each<[Overlap, Partial<TickPlace>, TickVerdict]>([
  ['skip', {}, 'start'],
  ['skip', BUSY, 'skip'],
  ['buffer', {}, 'start'],
  ['buffer', BUSY, 'wait'],
  ['buffer', BEHIND, 'skip'],
  ['allow', BUSY, 'start'],
  ['cancelOther', {}, 'start'],
  ['cancelOther', BUSY, 'cancel-others'],
  ['cancelOther', FOLLOWED, 'skip'],
  ['skip', CLOSED, 'wait'],
  ['skip', { ...BUSY, ...CLOSED }, 'skip'],
  ['buffer', { ...BEHIND, ...CLOSED }, 'skip'],
  ['allow', { ...BUSY, ...CLOSED }, 'wait'],
  ['cancelOther', { ...BUSY, ...CLOSED }, 'wait'],
  ['skip', { ...LATE, ...CLOSED }, 'wait'],
  ['skip', { ...LATE, ...BUSY }, 'wait'],
  ['buffer', { ...LATE, ...BEHIND }, 'wait'],
  ['cancelOther', { ...LATE, ...FOLLOWED }, 'wait'],
  ['cancelOther', LATE, 'start'],
  ['allow', { ...LATE, ...BUSY }, 'start'],
])('%s, with %o: %s', (overlap, place, verdict) => {
  expect(judgeTick(overlap, { ...ALONE, ...place })).toBe(verdict);
});
