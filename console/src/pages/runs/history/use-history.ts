import { queryOptions, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Client } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';
import { NOTHING_KNOWN, readHistory } from './read-history.ts';
import type { KnownHistory } from './read-history.ts';

/** Asks for the events of a run. What is known stays, and only what is new is read. */
export const historyQuery = (client: Client, runId: string) => {
  const queryKey = [...KEYS.run(runId), 'history'];
  return queryOptions<KnownHistory>({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ client: queries, signal }) =>
      await readHistory(client.runs, {
        runId,
        signal,
        known: queries.getQueryData<KnownHistory>(queryKey) ?? NOTHING_KNOWN,
        onPage: (known) => queries.setQueryData(queryKey, known),
      }),
  });
};

/** All events of a run so far. */
export function useHistory(runId: string): UseQueryResult<KnownHistory> {
  return useQuery(historyQuery(useApi(), runId));
}
