import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import type { JSX } from 'react';
import { Router } from 'wouter';
import { ApiProvider } from './api/api-provider.tsx';
import { createQueryClient } from './api/query-client.ts';
import { Shell } from './layout/shell.tsx';
import { LiveProvider } from './live/live-provider.tsx';
import { Pages } from './pages/pages.tsx';
import { identityOf } from './session/person.ts';
import { SessionProvider } from './session/session-provider.tsx';
import { useSession } from './session/use-session.ts';
import { SignInPage } from './sign-in/sign-in-page.tsx';

/** The console: a page to sign in, and behind it all others. */
export function App(): JSX.Element {
  return (
    <Router base="/console">
      <SessionProvider>
        <Signed />
      </SessionProvider>
    </Router>
  );
}

function Signed(): JSX.Element {
  const { person } = useSession();
  // Another person starts with nothing that the one before has read; another token of the same changes nothing.
  return person ? <Inside key={identityOf(person)} /> : <SignInPage />;
}

function Inside(): JSX.Element {
  const [queryClient] = useState(createQueryClient);
  return (
    <QueryClientProvider client={queryClient}>
      <ApiProvider>
        <LiveProvider>
          <Shell>
            <Pages />
          </Shell>
        </LiveProvider>
      </ApiProvider>
    </QueryClientProvider>
  );
}
