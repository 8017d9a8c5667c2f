import { useQueryClient } from '@tanstack/react-query';
import { HoldfastError } from 'holdfast/client';
import type { Client } from 'holdfast/client';
import { useEffect, useState, createContext, useContext } from 'react';
import type { JSX, ReactNode } from 'react';
import { useApi } from './use-api.tsx';
import { staleKeys } from './query-keys.ts';

/** Events within this time cause one refresh. */
const BATCH_MS = 400;
/** Queries may return an event's change later than the stream returns the event, so a second refresh follows. */
const SECOND_REFRESH_MS = 1_500;

/** Keeps one stream with the events of all runs open, and invalidates the queries that they concern. */
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
      setTimeout(() => refresh(keys), SECOND_REFRESH_MS);
    };
    void watch(client, {
      signal: closing.signal,
      onChange: setLiveness,
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

interface EventObserver {
  readonly signal: AbortSignal;
  readonly onEvent: (event: Parameters<typeof staleKeys>[0]) => void;
  /** Called when the stream is back after an interruption in which events may have been missed. */
  readonly onGap: () => void;
  readonly onChange: (liveness: Liveness) => void;
}

const RETRY_MS = 5_000;

/** Reads the stream until the signal aborts, and resumes it after interruptions. It ends if the person may not read it. */
async function watch(client: Client, { signal, onEvent, onGap, onChange }: EventObserver): Promise<void> {
  let lastEventId: string | undefined;
  let isAway = false;
  const onReceived = (id: string): void => {
    lastEventId = id;
    if (!isAway) return;
    isAway = false;
    onChange('live');
    onGap();
  };
  onChange('live');
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ signal, after: lastEventId, onPlace: onReceived })) onEvent(event);
    } catch (error) {
      if (signal.aborted) return;
      isAway = true;
      onChange('away');
      if (error instanceof HoldfastError && (error.status === 401 || error.status === 403)) return;
      if (error instanceof HoldfastError && error.code === 'INVALID_EVENT_ID') lastEventId = undefined;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** `away`: the stream is interrupted, so pages may show old data. */
export type Liveness = 'connecting' | 'live' | 'away';

const LiveContext = createContext<Liveness>('connecting');

/** The state of the event stream. */
export function useLive(): Liveness {
  return useContext(LiveContext);
}
