import { afterEach, expect, test } from 'vitest';
import { formatClock, formatLocalTime, zoneName } from '../../../../src/cli/output/times.ts';

const zoneBefore = process.env['TZ'];

afterEach(() => {
  if (zoneBefore === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zoneBefore;
});

test.each([
  ['Europe/Berlin', '2026-11-29 00:07:59.045'],
  ['America/New_York', '2026-11-28 18:07:59.045'],
  ['UTC', '2026-11-28 23:07:59.045'],
])('times are local in %s', (zone, local) => {
  process.env['TZ'] = zone;
  expect([zoneName(), formatLocalTime('2026-11-28T23:07:59.045Z'), formatClock('2026-11-28T23:07:59.045Z')]).toEqual([
    zone,
    local,
    local.slice(11, 19),
  ]);
});
