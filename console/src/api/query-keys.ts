/**
 * The first parts of the keys of queries. Live events make stale what begins with them: an event of a run `['run', id]`
 * and `['runs']`, one of an approval `['approvals']` too. A page adds its filter behind.
 */
export const KEYS = {
  runs: ['runs'],
  run: (id: string) => ['run', id],
  anyRun: ['run'],
  approvals: ['approvals'],
  approval: (id: string) => ['approvals', 'one', id],
  interventions: ['interventions'],
  graphs: ['graphs'],
  graph: (name: string) => ['graphs', 'one', name],
  schedules: ['schedules'],
  webhooks: ['webhooks'],
  hooks: ['hooks'],
  tools: ['tools'],
  admin: ['admin'],
  /** What a dialog has read as it opened. It stays what people have seen, so it is never stale (`staleTime: 'static'`). */
  opened: ['opened'],
} as const;
