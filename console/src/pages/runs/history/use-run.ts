import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Client, Explanation, Run } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';

/** Asks for a run. */
export const runQuery = (client: Client, runId: string) =>
  queryOptions({
    queryKey: [...KEYS.run(runId), 'run'],
    queryFn: async ({ signal }) => await client.runs.get(runId, { signal }),
  });

/** Asks why a run waits or has stopped, and what can be done. */
export const explanationQuery = (client: Client, runId: string) =>
  queryOptions({
    queryKey: [...KEYS.run(runId), 'explanation'],
    queryFn: async ({ signal }) => await client.runs.explain(runId, { signal }),
  });

/** A run, anew with each of its events. */
export function useRun(runId: string): UseQueryResult<Run> {
  return useQuery(runQuery(useApi(), runId));
}

/** Why a run waits or has stopped. */
export function useExplanation(runId: string): UseQueryResult<Explanation> {
  return useQuery(explanationQuery(useApi(), runId));
}

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'canceled']);

export function isEnded({ status }: Pick<Run, 'status'>): boolean {
  return ENDED.has(status);
}
