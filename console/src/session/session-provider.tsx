import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { JSX, ReactNode } from 'react';
import { readConsoleConfig } from './console-config.ts';
import type { ConsoleConfig } from './console-config.ts';
import type { Person } from './person.ts';
import { takeArrival } from './take-arrival.ts';
import { signInOnArrival } from './sign-in-on-arrival.ts';
import { loadSession, saveSession } from './stored-session.ts';
import type { StoredSession } from './stored-session.ts';
import { useRenewal } from './use-renewal.ts';
import { SessionContext } from './use-session.ts';

/** Taken once a page, before the address is shown without it. */
const ARRIVAL = takeArrival();

/** Knows who uses this tab: from before a reload, by a one-time code, or by the issuer. */
export function SessionProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const [session, setSession] = useState<StoredSession | null>(loadSession);
  const [config, setConfig] = useState<ConsoleConfig | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [isSigningIn, setSigningIn] = useState(ARRIVAL !== null);
  // Requests that are on their way ask for the token of the moment.
  const latest = useRef(session);

  const keep = useCallback((next: StoredSession | null) => {
    latest.current = next;
    saveSession(next);
    setSession(next);
  }, []);
  const begin = useCallback((people: readonly Person[]) => keep({ people, current: 0 }), [keep]);
  const become = useCallback((current: number) => keep(session && { ...session, current }), [keep, session]);
  const end = useCallback(
    (why?: string) => {
      setNotice(why ?? null);
      keep(null);
    },
    [keep],
  );
  const token = useCallback(() => personIn(latest.current)?.token ?? '', []);
  const renew = useRenewal(latest, config, keep);

  useEffect(() => {
    void arrive()
      .catch((error: unknown) => setNotice(error instanceof Error ? error.message : String(error)))
      .finally(() => setSigningIn(false));
    async function arrive(): Promise<void> {
      const read = await readConsoleConfig();
      setConfig(read);
      const arrived = await signInOnArrival(ARRIVAL, read);
      if (arrived) keep(arrived);
    }
  }, [keep]);

  const state = useMemo(
    () => ({
      person: isSigningIn ? null : personIn(session),
      people: session?.people ?? [],
      config,
      notice,
      isSigningIn,
      token,
      renew,
      begin,
      become,
      end,
    }),
    [session, config, notice, isSigningIn, token, renew, begin, become, end],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

function personIn(session: StoredSession | null): Person | null {
  return session?.people[session.current] ?? null;
}
