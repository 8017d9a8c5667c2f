import { createClient } from 'holdfast/client';
import { useMemo } from 'react';
import type { JSX, ReactNode } from 'react';
import { useSession } from '../session/use-session.ts';
import { ApiContext } from './use-api.ts';

/** Gives the pages a client of the API for the person who is signed in. An answer 401 ends the session. */
export function ApiProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const { person, end } = useSession();
  const token = person?.token ?? '';
  const client = useMemo(
    () =>
      createClient({
        baseUrl: location.origin,
        token,
        attempts: 3,
        async fetch(url, init) {
          const answer = await fetch(url, init);
          if (answer.status === 401) end('Your session has ended. Sign in to go on.');
          return answer;
        },
      }),
    [token, end],
  );
  return <ApiContext value={client}>{children}</ApiContext>;
}
