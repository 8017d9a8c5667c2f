import type { RunEvent } from '../graph/journal/index.ts';
import type { Run } from './answers.ts';
import { toPath } from './listing.ts';
import type { Page } from './listing.ts';
import type { CallOptions, Connection } from './send.ts';
import { isResting, preferWait } from './wait-for-run.ts';
import type { WaitEnd } from './wait-for-run.ts';
import { streamRun } from './stream-events.ts';
import type { StreamedRun, ProgressEvent, TokenEvent } from './stream-events.ts';

export interface FollowOptions extends CallOptions {
  /** The `seq` of the last known event; the default 0 yields all events. */
  readonly after?: number | undefined;
  /** `ended` by default; `rest` stops as soon as the run needs a person. */
  readonly until?: WaitEnd | undefined;
}

const PAUSE_MS = 500;
const PAGE = 200;

/** Yields each event of a run once, in order, as it occurs, until the run has ended. @returns the run as it is then */
export function followRun(
  connection: Connection,
  id: string,
  { after = 0, until = 'ended', signal }: FollowOptions = {},
): AsyncGenerator<RunEvent, Run> {
  const followed = { id, after, signal };
  return until === 'ended' ? streamRun(connection, followed) : followToRest(connection, followed);
}

/** Like `followRun` until the end, with the text of models while it is generated, and the progress of calls. */
export function followTokens(
  connection: Connection,
  id: string,
  { after = 0, signal }: Pick<FollowOptions, 'after' | 'signal'> = {},
): AsyncGenerator<RunEvent | TokenEvent | ProgressEvent, Run> {
  return streamRun(connection, { id, after, signal }, 'tokens');
}

/** Like `followRun`, until the run needs a person. It polls, because streams do not end there. */
async function* followToRest({ send, timing }: Connection, run: StreamedRun): AsyncGenerator<RunEvent, Run> {
  const { id, signal } = run;
  const read = createHistoryReader({ send }, run);
  for (let last = run.after; ;) {
    const headers = preferWait(1_000);
    const current = await send.json<Run>({ method: 'GET', path: toPath`/api/runs/${id}`, headers }, { signal });
    const known = last;
    last = yield* read();
    // The caller may have continued the run after it received an event.
    if (last > known) continue;
    if (isResting(current) && last >= current.lastSeq) return current;
    if (isResting(current) || current.status === 'waiting') await timing.sleep(PAUSE_MS, signal);
  }
}

/** Creates a reader that yields the events since its last call. @returns the `seq` of the last known event */
function createHistoryReader(
  { send }: Pick<Connection, 'send'>,
  { id, after, signal }: StreamedRun,
): () => AsyncGenerator<RunEvent, number> {
  let cursor: string | undefined;
  let last = after;
  return async function* newEvents() {
    for (;;) {
      const query = { limit: PAGE, cursor };
      const page = await send.json<Page<RunEvent>>(
        { method: 'GET', path: toPath`/api/runs/${id}/history`, query },
        { signal },
      );
      for (const event of page.items.filter(({ seq }) => seq > last)) {
        last = event.seq;
        yield event;
      }
      if (page.nextCursor === null) return last;
      cursor = page.nextCursor;
    }
  };
}
