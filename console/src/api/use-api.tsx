import { createClient, HoldfastError } from 'holdfast/client';
import type { Client } from 'holdfast/client';
import { createContext, useContext, useMemo } from 'react';
import type { JSX, ReactNode } from 'react';
import { QueryClient, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useSession } from '../session/use-session.ts';

const ApiContext = createContext<Client | null>(null);

/** The client of the API, `holdfast/client`, for the person who is signed in. */
export function useApi(): Client {
  const client = useContext(ApiContext);
  if (!client) throw new Error('useApi is called outside of ApiProvider');
  return client;
}

/** Provides a client of the API for the person who is signed in. An answer 401 renews the session, or ends it. */
export function ApiProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const { token, renew, end } = useSession();
  const client = useMemo(
    () =>
      createClient({
        baseUrl: location.origin,
        token,
        attempts: 3,
        async fetch(url, init) {
          const answer = await fetch(url, init);
          if (answer.status !== 401) return answer;
          const headers = new Headers(init?.headers);
          const next = await renew((headers.get('authorization') ?? '').replace(/^Bearer /, ''));
          if (next !== null) headers.set('authorization', `Bearer ${next}`);
          const again = next === null ? answer : await fetch(url, { ...init, headers });
          if (again.status === 401) end('Your session has ended. Sign in to go on.');
          return again;
        },
      }),
    [token, renew, end],
  );
  return <ApiContext value={client}>{children}</ApiContext>;
}

/** Live events invalidate queries; this is for data without events, and for times when the stream is interrupted. */
const STALE_MS = 10_000;

/** Creates the query cache. The client retries temporary failures, so the cache does not. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: STALE_MS, retry: false, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
}

/** True if the person has the permission `admin`. Installations name their roles freely, so the API is asked. */
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
