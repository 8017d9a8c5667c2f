import { useQueryClient } from '@tanstack/react-query';
import { HoldfastError } from 'holdfast/client';
import type { Client } from 'holdfast/client';
import { useEffect, useState, createContext, useContext } from 'react';
import type { JSX, ReactNode } from 'react';
import { useApi } from './use-api.tsx';
import { staleKeys } from './query-keys.ts';

/** The events of so long make one refresh. */
const BATCH_MS = 400;
/** Reads know of an event a little after its stream does. */
const SECOND_LOOK_MS = 1_500;

/** Keeps one stream of all runs' events open, and makes stale what they change. */
export function LiveProvider({ children }: { readonly children: ReactNode }): JSX.Element {
  const client = useApi();
  const queries = useQueryClient();
  const [liveness, setLiveness] = useState<Liveness>('connecting');
  useEffect(() => {
    const closing = new AbortController();
    const stale = new Map<string, readonly string[]>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (keys: readonly (readonly string[])[]): void => {
      for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
    };
    const flush = (): void => {
      const keys = [...stale.values()];
      stale.clear();
      timer = undefined;
      refresh(keys);
      setTimeout(() => refresh(keys), SECOND_LOOK_MS);
    };
    void watch(client, {
      signal: closing.signal,
      tell: setLiveness,
      onGap: () => void queries.invalidateQueries(),
      onEvent(event) {
        for (const key of staleKeys(event)) stale.set(key.join('/'), key);
        timer ??= setTimeout(flush, BATCH_MS);
      },
    });
    return () => {
      closing.abort();
      clearTimeout(timer);
    };
  }, [client, queries]);
  return <LiveContext value={liveness}>{children}</LiveContext>;
}

interface Watching {
  readonly signal: AbortSignal;
  readonly onEvent: (event: Parameters<typeof staleKeys>[0]) => void;
  /** Called when events come again and some may have been missed. */
  readonly onGap: () => void;
  readonly tell: (liveness: Liveness) => void;
}

const RETRY_MS = 5_000;

/** Reads the stream until the signal, and goes on where it was. Where it is refused for good, pages are read again as they grow stale. */
async function watch(client: Client, { signal, onEvent, onGap, tell }: Watching): Promise<void> {
  let place: string | undefined;
  let isAway = false;
  const hear = (id: string): void => {
    place = id;
    if (!isAway) return;
    isAway = false;
    tell('live');
    onGap();
  };
  tell('live');
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ signal, after: place, onPlace: hear })) onEvent(event);
    } catch (error) {
      if (signal.aborted) return;
      isAway = true;
      tell('away');
      if (error instanceof HoldfastError && (error.status === 401 || error.status === 403)) return;
      if (error instanceof HoldfastError && error.code === 'INVALID_EVENT_ID') place = undefined;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** `away`: what pages show may be old. */
export type Liveness = 'connecting' | 'live' | 'away';

export const LiveContext = createContext<Liveness>('connecting');

/** If events come as they happen. */
export function useLive(): Liveness {
  return useContext(LiveContext);
}
