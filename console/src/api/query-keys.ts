import type { TenantEvent } from 'holdfast/client';

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

type Key = readonly string[];

/** Says which answers an event has made stale. */
export function staleKeys({ type, runId }: Pick<TenantEvent, 'type' | 'runId'>): readonly Key[] {
  const keys: Key[] = [KEYS.run(runId)];
  if (!IN_RUNS_ONLY.has(type)) keys.push(KEYS.runs);
  // An edit withdraws what is pending, and an ending cancels it.
  if (/^(?:approval|state|run)\./.test(type)) keys.push(KEYS.approvals);
  if (/^(?:node\.failed|run|signal)/.test(type)) keys.push(KEYS.interventions);
  return keys;
}

/** These change nothing that lists of runs show. */
const IN_RUNS_ONLY: ReadonlySet<TenantEvent['type']> = new Set([
  'node.started',
  'node.completed',
  'tool.requested',
  'tool.called',
  'model.called',
]);
