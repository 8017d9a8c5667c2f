import { expect, test } from 'vitest';
import { NewScheduleSchema } from '../../../../src/api/schemas/schedule.ts';

const problemsOf = (cron: string): readonly string[] =>
  NewScheduleSchema.safeParse({ graph: 'tick', input: {}, cron }).error?.issues.map(({ message }) => message) ?? [];

test.each(['0 0 31 2 *', '0 0 30 FEB *', '0 0 31 4,6,9,11 *', '0 0 31 2 MON', '*/5 * 30-31 2 *'])(
  'the cron expression "%s" is refused, because it never fires',
  (cron) => {
    expect(problemsOf(cron)).toEqual(['There is no such time: this schedule would never fire']);
  },
);

test.each(['0 0 29 2 *', '0 0 29 2 MON', '0 0 31 */2 *', '30 6 * * MON-FRI', '*/5 * * * *'])(
  'the cron expression "%s" is accepted, however seldom it fires',
  (cron) => {
    expect(problemsOf(cron)).toEqual([]);
  },
);
