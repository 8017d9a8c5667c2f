import { useCallback, useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { readConsoleConfig } from './console-config.ts';
import type { ConsoleConfig } from './console-config.ts';
import { renewAtIssuer } from './issuer-sign-in.ts';
import type { StoredSession } from './stored-session.ts';

/** A token is renewed so long before its end, or at half of its life if that is short. */
const LEAD_MS = 60_000;
/** The longest time that a timer of a browser takes. */
const MAX_TIMER_MS = 2_147_483_647;

type Renew = (ended: string) => Promise<string | null>;

/**
 * Renews the token of a session by its refresh token: before it ends, and when the API has found that it has. The pages stay as
 * they are meanwhile.
 */
export function useRenewal(
  session: RefObject<StoredSession | null>,
  config: ConsoleConfig | null,
  keep: (next: StoredSession) => void,
): Renew {
  const renewing = useRef<Promise<string | null> | null>(null);
  const renew = useCallback(
    async (ended: string): Promise<string | null> => {
      const before = session.current;
      const token = tokenOf(before);
      // Another request has renewed it.
      if (token !== null && token !== ended) return token;
      const { refreshToken } = before ?? {};
      if (refreshToken === undefined) return null;
      renewing.current ??= (async () => {
        const next = await renewAtIssuer(refreshToken, config ?? (await readConsoleConfig()));
        // Whoever has signed out meanwhile stays so.
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
    // One that has ended already is found out by its next request, so that no clock makes this go round and round.
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
