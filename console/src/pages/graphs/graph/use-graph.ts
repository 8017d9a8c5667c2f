import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Graph } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';

/** A version of a graph; the newest one where none is named. */
export function useGraph(name: string, version?: number): UseQueryResult<Graph> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.graph(name), 'version', version ?? null],
    queryFn: async ({ signal }) => await client.graphs.get(name, version, { signal }),
  });
}
