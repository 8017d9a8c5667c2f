import { NOTHING_REDACTED } from '../../../src/graph/redaction/index.ts';
import type { Schedule } from '../../../src/store/schedules/schedule.ts';

/** An hourly schedule, with texts that databases must escape. */
export function aSchedule(id: string, over: Partial<Pick<Schedule, 'tenantId' | 'revision'>> = {}): Schedule {
  return {
    tenantId: 'acme',
    id,
    graph: 'g',
    input: { text: '\u0000\ud800' },
    metadata: {},
    limits: {},
    threadId: null,
    cron: null,
    every: '1h',
    timeZone: 'UTC',
    overlap: 'skip',
    paused: false,
    redaction: NOTHING_REDACTED,
    owner: 'uma',
    roles: ['user'],
    revision: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
    createdBy: 'uma',
    updatedAt: '2026-01-01T00:00:00.000Z',
    updatedBy: 'uma',
    ...over,
  };
}
