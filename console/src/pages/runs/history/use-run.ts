import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Explanation, Run } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';

/** A run, anew with each of its events. */
export function useRun(runId: string): UseQueryResult<Run> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.run(runId), 'run'],
    queryFn: async ({ signal }) => await client.runs.get(runId, { signal }),
  });
}

/** Why a run waits or has stopped. */
export function useExplanation(runId: string): UseQueryResult<Explanation> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.run(runId), 'explanation'],
    queryFn: async ({ signal }) => await client.runs.explain(runId, { signal }),
  });
}

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'canceled']);

export function isEnded({ status }: Pick<Run, 'status'>): boolean {
  return ENDED.has(status);
}
