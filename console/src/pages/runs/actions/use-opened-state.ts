import { useQuery } from '@tanstack/react-query';
import { HoldfastError } from 'holdfast/client';
import type { TaggedState } from 'holdfast/client';
import { useState } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useApi } from '../../../api/use-api.ts';

/** The state of a run as it was when a dialog opened. */
export interface OpenedState {
  /** `undefined`: it has not come yet, or is not wanted. */
  readonly state: TaggedState | undefined;
  /** The state before it was read again; `null`: it was read once. */
  readonly before: TaggedState | null;
  readonly error: unknown;
  readonly isReady: boolean;
  readonly readAgain: () => void;
}

/** Reads a state once, so that an edit of it is refused when another has come in between. */
export function useOpenedState(runId: string, isWanted: boolean): OpenedState {
  const client = useApi();
  const [before, setBefore] = useState<TaggedState | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...KEYS.opened, 'state', runId],
    queryFn: async ({ signal }) => await client.runs.state(runId, undefined, { signal }),
    enabled: isWanted,
    staleTime: 'static',
    gcTime: 0,
  });
  return {
    state: data,
    before,
    error,
    isReady: !isWanted || (data !== undefined && !isFetching),
    readAgain() {
      setBefore(data ?? null);
      void refetch();
    },
  };
}

/** True if an edit was refused because the state is another by now. */
export function isStale(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'STALE';
}
