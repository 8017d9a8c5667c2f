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
  /** The tag of the state that an edit corrects. */
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
      // The buttons of the page are those of the new status before one of them has the focus again.
      await Promise.all(
        [runQuery(client, runId), explanationQuery(client, runId)].map(
          async ({ queryKey }) => await queries.refetchQueries({ queryKey }, { cancelRefetch: false }),
        ),
      );
      onDone();
    },
  });
}

/** The targets that a dialog offers while its run goes on: also those that it has opened with and that are gone, first of all. */
export function useTargets(run: Run): readonly TargetOption[] {
  const [opened] = useState(() => targetsOf(run));
  return useMemo(() => withEndedTargets(opened, targetsOf(run)), [opened, run]);
}

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
