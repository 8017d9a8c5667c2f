import { StrictMode, useState } from 'react';
import type { JSX } from 'react';
import { createRoot } from 'react-dom/client';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { ApiProvider, createQueryClient } from './api/use-api.tsx';
import { Shell } from './layout/shell.tsx';
import { LiveProvider } from './api/live.tsx';
import { Pages } from './pages/pages.tsx';
import { identityOf } from './session/person.ts';
import { SessionProvider } from './session/session-provider.tsx';
import { useSession } from './session/use-session.ts';
import { SignInPage } from './layout/sign-in-page.tsx';

/** Renders the console into `index.html`. */
export function showApp(): void {
  const root = document.querySelector('#app');
  if (!root) throw new Error('index.html has no element #app');
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

/** The console: the page to sign in, or all others. */
function App(): JSX.Element {
  return (
    <Router base="/console">
      <SessionProvider>
        <SessionGate />
      </SessionProvider>
    </Router>
  );
}

function SessionGate(): JSX.Element {
  const { person } = useSession();
  // The key drops all state for another person; a new token of the same person keeps it.
  return person ? <SignedInApp key={identityOf(person)} /> : <SignInPage />;
}

function SignedInApp(): JSX.Element {
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
