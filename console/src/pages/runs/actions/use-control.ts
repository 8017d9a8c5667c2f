import { useQueryClient } from '@tanstack/react-query';
import { KEYS } from '../../../api/query-keys.ts';
import { useAction } from '../../../api/use-action.ts';
import type { Action } from '../../../api/use-action.ts';
import { useApi } from '../../../api/use-api.ts';
import { explanationQuery, runQuery } from '../history/use-run.ts';
import type { Control } from './controls-of.ts';
import { sendControl } from './send-control.ts';

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
