import { createContext, useContext } from 'react';

/** `away`: what pages show may be old. */
export type Liveness = 'connecting' | 'live' | 'away';

export const LiveContext = createContext<Liveness>('connecting');

/** If events come as they happen. */
export function useLive(): Liveness {
  return useContext(LiveContext);
}
