export const NEW_SCHEDULE_EXAMPLE = {
  graph: 'order-summary@live',
  input: { number: 'A-1001' },
  cron: '30 6 * * MON-FRI',
  timeZone: 'Europe/Berlin',
  overlap: 'skip',
} as const;

export const TICK_EXAMPLE = {
  at: '2026-11-24T05:30:00.000Z',
  kind: 'time',
  outcome: 'started',
  runId: '01M800DS5H3S0K45KZZAHT8S14',
  status: 'completed',
  code: null,
  message: null,
} as const;

export const SCHEDULE_EXAMPLE = {
  id: '01M7ZX3V9F6Q2C8T1N4B5D7E9G',
  ...NEW_SCHEDULE_EXAMPLE,
  every: null,
  paused: false,
  threadId: null,
  metadata: {},
  limits: {},
  nextTimes: ['25', '26', '27', '30'].map((day) => `2026-11-${day}T05:30:00.000Z`).concat('2026-12-01T05:30:00.000Z'),
  lastRuns: [TICK_EXAMPLE],
  owner: 'uma',
  createdAt: '2026-11-23T09:00:00.000Z',
  createdBy: 'uma',
  updatedAt: '2026-11-23T09:00:00.000Z',
  updatedBy: 'uma',
};
