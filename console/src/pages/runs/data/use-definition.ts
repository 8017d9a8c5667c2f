import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Client, Run, RunGraph } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.tsx';
import type { Definition } from '../../../graph/definition.ts';

/** The query for the graph of a run, with the graphs inside it. It never changes. */
export function useRunGraph(run: Run): UseQueryResult<RunGraph> {
  return useQuery(runGraphQuery(useApi(), run));
}

/** The definition of a run's graph. */
export function useDefinition(run: Run): UseQueryResult<Definition> {
  return useQuery({ ...runGraphQuery(useApi(), run), select: ({ definition }) => definition });
}

const runGraphQuery = (client: Client, { id }: Run) =>
  queryOptions({
    queryKey: [...KEYS.run(id), 'graph'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => await client.runs.graph(id, { signal }),
  });
