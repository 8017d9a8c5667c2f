import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Checkpoint } from 'holdfast/client';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';

const PAGE = 200;
/** Checkpoints have all values, so older ones are left out. */
const MOST = 1_000;

/** The latest checkpoints of a run, the oldest first. */
export function useCheckpoints(runId: string): UseQueryResult<readonly Checkpoint[]> {
  const client = useApi();
  return useQuery({
    queryKey: [...KEYS.run(runId), 'checkpoints'],
    queryFn: async ({ signal }) => {
      const found: Checkpoint[] = [];
      for await (const checkpoint of client.runs.checkpoints(runId, { limit: PAGE }, { signal })) {
        found.push(checkpoint);
        if (found.length >= MOST) break;
      }
      return found.reverse();
    },
  });
}
