import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { NOTHING_KNOWN, readHistory } from './read-history.ts';
import type { KnownHistory } from './read-history.ts';

/** All events of a run so far. What is known stays, and only what is new is read. */
export function useHistory(runId: string): UseQueryResult<KnownHistory> {
  const client = useApi();
  const queries = useQueryClient();
  const queryKey = [...KEYS.run(runId), 'history'];
  return useQuery({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ signal }) =>
      await readHistory(client.runs, {
        runId,
        signal,
        known: queries.getQueryData<KnownHistory>(queryKey) ?? NOTHING_KNOWN,
        onPage: (known) => queries.setQueryData(queryKey, known),
      }),
  });
}
