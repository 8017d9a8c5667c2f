import { createContext, useContext } from 'react';
import { readJson } from './person.ts';
import type { Person, ClaimNames } from './person.ts';

interface SessionState {
  /** `null`: nobody is signed in. */
  readonly person: Person | null;
  /** All people whom this tab has tokens of. */
  readonly people: readonly Person[];
  /** `null` while it is loading. */
  readonly config: ConsoleConfig | null;
  /** A message for the sign-in page, such as why the session has ended. */
  readonly notice: string | null;
  /** True while a code or an answer of the issuer is exchanged for tokens. */
  readonly isSigningIn: boolean;
  /** Returns the current token. A renewal replaces it. */
  readonly token: () => string;
  /** Replaces an expired token. @returns `null` if that is not possible */
  readonly renew: (ended: string) => Promise<string | null>;
  readonly begin: (people: readonly Person[]) => void;
  /** Switches to another of `people`, by index. */
  readonly become: (index: number) => void;
  readonly end: (notice?: string) => void;
}

export const SessionContext = createContext<SessionState | null>(null);

/** The session of this tab. */
export function useSession(): SessionState {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is called outside of SessionProvider');
  return session;
}

/** True if the installation allows forks of runs. It is false until that is known. */
export function useForking(): boolean {
  return useSession().config?.features.forking === true;
}

/** `/console/config.json`: how people sign in, and which features are enabled. */
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
