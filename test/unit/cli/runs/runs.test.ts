import { expect, test } from 'vitest';
import { holdfast } from '../../../support/servers/command-line.ts';

test.each([
  [
    ['--status', 'failed,lost'],
    '--status takes queued, running, waiting, paused, completed, failed or canceled, not "lost"',
  ],
  [['--last', 'all'], '--last takes a number, not "all"'],
  [['--after', 'yesterday'], '--after takes a time such as 2026-11-26T15:00:00Z, not "yesterday"'],
  [['--before', '2026-13-01'], '--before takes a time such as 2026-11-26T15:00:00Z, not "2026-13-01"'],
])('`runs` refuses the arguments %j', async (flags, message) => {
  expect(await holdfast(['runs', ...flags])).toEqual({ code: 2, stdout: '', stderr: `holdfast: ${message}\n` });
});
