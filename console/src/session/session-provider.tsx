import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { JSX, ReactNode, RefObject } from 'react';
import { readConsoleConfig, SessionContext } from './use-session.ts';
import type { ConsoleConfig } from './use-session.ts';
import { loadSession, saveSession, readPerson, readJson } from './person.ts';
import type { Person, StoredSession } from './person.ts';
import { exchangeAnswer, addressBeforeSignIn, renewAtIssuer } from './issuer-sign-in.ts';
import { RETURN_PATH, toReturnPath } from './return-path.ts';

/** Read once a page load, before it is removed from the address. */
const SIGN_IN_RESPONSE = takeSignInResponse();

/** Provides the session of this tab: from before a reload, from a one-time code, or from the issuer. */
export function SessionProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const [session, setSession] = useState<StoredSession | null>(loadSession);
  const [config, setConfig] = useState<ConsoleConfig | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  const [isSigningIn, setSigningIn] = useState(SIGN_IN_RESPONSE !== null);
  // Requests in flight read the current token.
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
  const token = useCallback(() => currentPerson(latest.current)?.token ?? '', []);
  const renew = useRenewal(latest, config, keep);

  useEffect(() => {
    void arrive()
      .catch((error: unknown) => setNotice(error instanceof Error ? error.message : String(error)))
      .finally(() => setSigningIn(false));
    async function arrive(): Promise<void> {
      const read = await readConsoleConfig();
      setConfig(read);
      const arrived = await signInBy(SIGN_IN_RESPONSE, read);
      if (arrived) keep(arrived);
    }
  }, [keep]);

  const state = useMemo(
    () => ({
      person: isSigningIn ? null : currentPerson(session),
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

function currentPerson(session: StoredSession | null): Person | null {
  return session?.people[session.current] ?? null;
}

/** Exchanges the code in the address for tokens; once a page load, also where React runs effects twice. */
async function signInBy(response: SignInResponse | null, config: ConsoleConfig): Promise<StoredSession | null> {
  if (!response) return null;
  exchange ??= response.kind === 'code' ? exchangeCode(response.code, config) : exchangeAnswer(response.url, config);
  return await exchange;
}

let exchange: Promise<StoredSession> | null = null;

async function exchangeCode(code: string, { claims }: ConsoleConfig): Promise<StoredSession> {
  const answer = await fetch('/console/local-sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (!answer.ok)
    throw new Error('This address has been used, or is older than a minute. `holdfast console` prints a new one.');
  const { tokens } = readJson<{ readonly tokens: readonly string[] }>(await answer.text());
  return { people: tokens.map((token) => readPerson(token, claims)), current: 0 };
}

/** The part of an address that signs in: the one-time code of a local stack, or the answer of an issuer. */
type SignInResponse = { readonly kind: 'code'; readonly code: string } | { readonly kind: 'issuer'; readonly url: URL };

/**
 * Removes the code from the address, so that neither history nor copies contain it. After an issuer's answer, it restores the
 * address that the person opened before.
 */
function takeSignInResponse(): SignInResponse | null {
  const url = new URL(location.href);
  const code = new URLSearchParams(url.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', `${url.pathname}${url.search}`);
    return { kind: 'code', code };
  }
  if (url.pathname !== RETURN_PATH) return null;
  history.replaceState(null, '', toReturnPath(addressBeforeSignIn(), url.origin));
  return { kind: 'issuer', url };
}

/** A token is renewed this long before its expiry, or after half of a shorter lifetime. */
const LEAD_MS = 60_000;
/** The longest delay of a timer in browsers. */
const MAX_TIMER_MS = 2_147_483_647;

type Renew = (ended: string) => Promise<string | null>;

/**
 * Renews the token of a session by its refresh token: before it expires, and when the API refuses it. Pages keep their state.
 */
function useRenewal(
  session: RefObject<StoredSession | null>,
  config: ConsoleConfig | null,
  keep: (next: StoredSession) => void,
): Renew {
  const renewing = useRef<Promise<string | null> | null>(null);
  const renew = useCallback(
    async (ended: string): Promise<string | null> => {
      const before = session.current;
      const token = tokenOf(before);
      // Another request has renewed the token already.
      if (token !== null && token !== ended) return token;
      const { refreshToken } = before ?? {};
      if (refreshToken === undefined) return null;
      renewing.current ??= (async () => {
        const next = await renewAtIssuer(refreshToken, config ?? (await readConsoleConfig()));
        // A person who has signed out meanwhile stays signed out.
        if (session.current?.refreshToken === refreshToken) keep(next);
        return tokenOf(session.current);
      })()
        .catch(() => null)
        .finally(() => (renewing.current = null));
      return await renewing.current;
    },
    [session, config, keep],
  );
  const current = session.current;
  const token = tokenOf(current);
  const endsAt = current?.people[current.current]?.endsAt ?? null;
  const isRenewable = current?.refreshToken !== undefined;
  useEffect(() => {
    if (!isRenewable || token === null || endsAt === null) return undefined;
    const leftMs = endsAt - Date.now();
    // An expired token is left to the next request: with a wrong clock, renewing it here would never end.
    if (leftMs <= 0) return undefined;
    const waitMs = Math.max(leftMs - LEAD_MS, leftMs / 2);
    const timer = setTimeout(() => void renew(token), Math.min(waitMs, MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [isRenewable, token, endsAt, renew]);
  return renew;
}

function tokenOf(session: StoredSession | null): string | null {
  return session?.people[session.current]?.token ?? null;
}
