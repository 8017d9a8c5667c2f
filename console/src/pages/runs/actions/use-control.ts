import { useQueryClient, useQuery } from '@tanstack/react-query';
import { HoldfastError } from 'holdfast/client';
import type { Run, TaggedState } from 'holdfast/client';
import { useMemo, useState } from 'react';
import { KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import type { Action } from '../../../api/use-action.ts';
import { useApi } from '../../../api/use-api.tsx';
import { explanationQuery, runQuery } from '../data/use-run.ts';
import { sendControl, targetsOf } from './controls.ts';
import type { Control } from './controls.ts';
import { withEndedTargets } from './control-draft.ts';
import type { TargetOption } from './control-draft.ts';

interface ControlOptions {
  readonly runId: string;
  readonly control: Control;
  /** The ETag of the state that an edit is based on. */
  readonly etag: string | undefined;
  readonly onDone: () => void;
}

/** Sends a control of a run, by its body. */
export function useControl({
  runId,
  control,
  etag,
  onDone,
}: ControlOptions): Action<Readonly<Record<string, unknown>>, void> {
  const client = useApi();
  const queries = useQueryClient();
  return useAction({
    send: async (body, options) => await sendControl(client, { runId, control, body, etag, options }),
    stale: [KEYS.run(runId)],
    async onDone() {
      // The page must show the buttons of the new status before the focus returns to one of them.
      await Promise.all(
        [runQuery(client, runId), explanationQuery(client, runId)].map(
          async ({ queryKey }) => await queries.refetchQueries({ queryKey }, { cancelRefetch: false }),
        ),
      );
      onDone();
    },
  });
}

/** The targets that a dialog offers while its run continues. Those that are gone since it opened stay at the top. */
export function useTargets(run: Run): readonly TargetOption[] {
  const [opened] = useState(() => targetsOf(run));
  return useMemo(() => withEndedTargets(opened, targetsOf(run)), [opened, run]);
}

/** The state of a run at the time when a dialog opened. */
export interface OpenedState {
  /** `undefined` until it is loaded, or if it is not needed. */
  readonly state: TaggedState | undefined;
  /** The state that was loaded before; `null` if it was loaded once. */
  readonly before: TaggedState | null;
  readonly error: unknown;
  readonly isReady: boolean;
  readonly readAgain: () => void;
}

/** Loads a state once, so that the API refuses an edit if the state has changed since. */
export function useOpenedState(runId: string, isNeeded: boolean): OpenedState {
  const client = useApi();
  const [before, setBefore] = useState<TaggedState | null>(null);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...KEYS.opened, 'state', runId],
    queryFn: async ({ signal }) => await client.runs.state(runId, undefined, { signal }),
    enabled: isNeeded,
    staleTime: 'static',
    gcTime: 0,
  });
  return {
    state: data,
    before,
    error,
    isReady: !isNeeded || (data !== undefined && !isFetching),
    readAgain() {
      setBefore(data ?? null);
      void refetch();
    },
  };
}

/** True if an edit was refused because the state has changed. */
export function isStale(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === 'STALE';
}
