import { queryOptions, useQuery, usePrefetchQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Client, Explanation, Run } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import { readHistory } from './history.ts';
import type { RunEvent } from './history.ts';

/** The query for a run. */
export const runQuery = (client: Client, runId: string) =>
  queryOptions({
    queryKey: [...KEYS.run(runId), 'run'],
    queryFn: async ({ signal }) => await client.runs.get(runId, { signal }),
  });

/** The explanation is refreshed at this interval, as switches and deadlines change without an event. */
const PERIOD_MS = 10_000;

/** The query for the reason why a run waits or has stopped, and for the next actions. */
export const explanationQuery = (client: Client, runId: string) =>
  queryOptions({
    queryKey: [...KEYS.run(runId), 'explanation'],
    queryFn: async ({ signal }) => await client.runs.explain(runId, { signal }),
    refetchInterval: ({ state }) => state.data?.status === 'running' && PERIOD_MS,
  });

/** A run, updated by its events. */
export function useRun(runId: string): UseQueryResult<Run> {
  return useQuery(runQuery(useApi(), runId));
}

/** The reason why a run waits or has stopped. */
export function useExplanation(runId: string): UseQueryResult<Explanation> {
  return useQuery(explanationQuery(useApi(), runId));
}

const ENDED: ReadonlySet<Run['status']> = new Set(['completed', 'failed', 'canceled']);

export function isEnded({ status }: Pick<Run, 'status'>): boolean {
  return ENDED.has(status);
}

/** The query for the events of a run. It loads only new events. */
const historyQuery = (client: Client, runId: string) => {
  const queryKey = [...KEYS.run(runId), 'history'];
  return queryOptions<readonly RunEvent[]>({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ client: queries, signal }) =>
      await readHistory(client.runs, {
        runId,
        signal,
        known: queries.getQueryData<readonly RunEvent[]>(queryKey) ?? [],
        onPage: (known) => queries.setQueryData(queryKey, known),
      }),
  });
};

/** All events of a run so far. */
export function useHistory(runId: string): UseQueryResult<readonly RunEvent[]> {
  return useQuery(historyQuery(useApi(), runId));
}

/** Loads the data of a run's page in parallel with the code of the page. */
export function usePreloadedRun(runId: string): void {
  const client = useApi();
  usePrefetchQuery(runQuery(client, runId));
  usePrefetchQuery(historyQuery(client, runId));
  usePrefetchQuery(explanationQuery(client, runId));
}
