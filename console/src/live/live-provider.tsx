import { useQueryClient } from '@tanstack/react-query';
import { HoldfastError } from 'holdfast/client';
import type { Client } from 'holdfast/client';
import { useEffect, useState } from 'react';
import type { JSX, ReactNode } from 'react';
import { useApi } from '../api/use-api.ts';
import { staleKeys } from './stale-keys.ts';
import { LiveContext } from './use-live.ts';
import type { Liveness } from './use-live.ts';

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
  readonly tell: (liveness: Liveness) => void;
}

const RETRY_MS = 5_000;

/** Reads the stream until the signal; where it is refused for good, the pages are read again as they grow stale. */
async function watch(client: Client, { signal, onEvent, tell }: Watching): Promise<void> {
  while (!signal.aborted) {
    try {
      tell('live');
      for await (const event of client.events({ signal })) onEvent(event);
    } catch (error) {
      if (signal.aborted) return;
      tell('away');
      if (error instanceof HoldfastError && (error.status === 401 || error.status === 403)) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
