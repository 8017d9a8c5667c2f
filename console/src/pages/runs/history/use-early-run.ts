import { usePrefetchQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/use-api.ts';
import { historyQuery } from './use-history.ts';
import { explanationQuery, runQuery } from './use-run.ts';

/** Asks at once for what a page of a run needs, while the code of the page still comes. */
export function useEarlyRun(runId: string): void {
  const client = useApi();
  usePrefetchQuery(runQuery(client, runId));
  usePrefetchQuery(historyQuery(client, runId));
  usePrefetchQuery(explanationQuery(client, runId));
}
