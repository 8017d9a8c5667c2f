import type { Schedule } from 'holdfast/client';

type Times = Pick<Schedule, 'cron' | 'every' | 'timeZone'>;

/** Says when the runs of a schedule begin. */
export function tellTimes({ cron, every, timeZone }: Times): string {
  return every === null ? `${cron ?? ''} in ${timeZone}` : `every ${every}`;
}
