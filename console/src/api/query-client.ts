import { QueryClient } from '@tanstack/react-query';

/** Live events say what is stale; this is for what has no events, and for streams that are away. */
const STALE_MS = 10_000;

/** Creates the cache of answers. The client repeats what failed for the moment, so the cache does not. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}
