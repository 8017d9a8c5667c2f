import { createClient } from 'holdfast/client';
import { useMemo } from 'react';
import type { JSX, ReactNode } from 'react';
import { useSession } from '../session/use-session.ts';
import { ApiContext } from './use-api.ts';

/** Gives the pages a client of the API for the person who is signed in. An answer 401 renews the session, or ends it. */
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
