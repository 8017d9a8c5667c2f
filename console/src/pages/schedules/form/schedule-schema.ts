const OVERLAPS = [
  { const: 'skip', title: 'Skip the time' },
  { const: 'buffer', title: 'Start afterwards; one time waits' },
  { const: 'allow', title: 'Start beside it' },
  { const: 'cancelOther', title: 'Cancel that run' },
];

/** What the form of a schedule asks for. */
export const SCHEDULE_SCHEMA = {
  type: 'object',
  required: ['graph', 'timeZone', 'overlap'],
  properties: {
    graph: {
      type: 'string',
      title: 'Graph',
      description: 'Its name, or one with a version or alias behind it: order-summary@live',
    },
    cron: {
      type: 'string',
      title: 'Times, as cron',
      description: 'Minute, hour, day, month, day of the week: 30 6 * * MON-FRI',
    },
    every: { type: 'string', title: 'Or every', description: 'Such as 10m or 1d, in place of cron' },
    timeZone: { type: 'string', title: 'Time zone', description: 'The clock that cron reads, such as Europe/Berlin' },
    overlap: { title: 'While a run of it is not over', oneOf: OVERLAPS },
    paused: { type: 'boolean', title: 'Paused', description: 'No times come until it goes on' },
    input: { title: 'Input', description: 'A JSON object' },
    threadId: { type: 'string', title: 'Thread', description: 'The conversation that each run goes on with' },
    metadata: { title: 'Metadata', description: 'A JSON object, by which its runs are found' },
    limits: { title: 'Limits', description: 'A JSON object; they may only tighten the graph’s' },
  },
} as const;
