import { createContext, useContext } from 'react';
import { readJson } from './person.ts';
import type { Person, ClaimNames } from './person.ts';

export interface SessionState {
  /** `null`: nobody is signed in. */
  readonly person: Person | null;
  /** All whom this tab can be used as. */
  readonly people: readonly Person[];
  /** `null` while it is read. */
  readonly config: ConsoleConfig | null;
  /** Why nobody is signed in, to show it. */
  readonly notice: string | null;
  /** A code or an answer of the issuer is being exchanged. */
  readonly isSigningIn: boolean;
  /** The token of this moment; it is another one after a renewal. */
  readonly token: () => string;
  /** Gets another token in the place of one that has ended. @returns `null`: there is none */
  readonly renew: (ended: string) => Promise<string | null>;
  readonly begin: (people: readonly Person[]) => void;
  /** Goes on as another of `people`. */
  readonly become: (index: number) => void;
  readonly end: (notice?: string) => void;
}

export const SessionContext = createContext<SessionState | null>(null);

/** Who uses this tab. */
export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is called outside of SessionProvider');
  return session;
}

/** `/console/config.json`: how people sign in here, and what there is. */
export interface ConsoleConfig {
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly scope: string;
  /** Further parameters of the request for a code, such as `audience`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly claims: ClaimNames;
  readonly features: { readonly localSignIn: boolean; readonly forking: boolean };
  readonly version: string;
}

/** @throws Error when the API does not answer */
export async function readConsoleConfig(): Promise<ConsoleConfig> {
  const answer = await fetch('/console/config.json');
  if (!answer.ok) throw new Error(`The API answers ${answer.status} to /console/config.json`);
  return readJson<ConsoleConfig>(await answer.text());
}
