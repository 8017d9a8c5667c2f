import type { TenantEvent } from 'holdfast/client';

/**
 * Prefixes of the keys of queries. Live events invalidate all queries with a prefix: an event of a run `['run', id]`
 * and `['runs']`, one of an approval also `['approvals']`. A page appends its filter.
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
  /** Data that a dialog has read when it opened. It must stay what the person has seen (`staleTime: 'static'`). */
  opened: ['opened'],
} as const;

type Key = readonly string[];

/** Returns the prefixes of the queries that an event makes stale. */
export function staleKeys({ type, runId }: Pick<TenantEvent, 'type' | 'runId'>): readonly Key[] {
  const keys: Key[] = [KEYS.run(runId)];
  if (!IN_RUNS_ONLY.has(type)) keys.push(KEYS.runs);
  // An edit withdraws pending approvals, and the end of a run cancels them.
  if (/^(?:approval|state|run)\./.test(type)) keys.push(KEYS.approvals);
  if (/^(?:node\.failed|run|signal)/.test(type)) keys.push(KEYS.interventions);
  return keys;
}

/** Events that change nothing in lists of runs. */
const IN_RUNS_ONLY: ReadonlySet<TenantEvent['type']> = new Set([
  'node.started',
  'node.completed',
  'tool.requested',
  'tool.called',
  'model.called',
]);
