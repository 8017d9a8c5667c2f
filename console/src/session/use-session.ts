import { createContext, useContext } from 'react';
import type { ConsoleConfig } from './console-config.ts';
import type { Person } from './person.ts';

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
