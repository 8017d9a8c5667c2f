import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { HoldfastError } from 'holdfast/client';
import { useApi } from './use-api.ts';

/** If the person may see what is for administrators. Roles have any names, so only the API knows. */
export function useAdminRight(): UseQueryResult<boolean> {
  const client = useApi();
  return useQuery({
    queryKey: ['admin-right'],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      try {
        await client.admin.runs({ limit: 1 }, { signal }).page();
        return true;
      } catch (error) {
        if (error instanceof HoldfastError && error.status === 403) return false;
        throw error;
      }
    },
  });
}
