import type { TenantEvent } from 'holdfast/client';
import { KEYS } from '../api/query-keys.ts';

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
