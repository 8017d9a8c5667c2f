import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Json } from '../graph/values/index.ts';
import type { ApiClient } from './api-client.ts';
import { EventSchema } from './describe-event.ts';
import type { HistoryEvent } from './describe-event.ts';

/** The fields of a run that waiting for it needs. */
const RunSchema = z.looseObject({
  id: z.string(),
  status: z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'canceled']),
  waitingFor: z.array(z.looseObject({ kind: z.string(), node: z.string(), id: z.string().optional() })),
  output: z.json(),
  error: z
    .looseObject({ code: z.string(), message: z.string(), cause: z.looseObject({ message: z.string() }).optional() })
    .nullable(),
});
export type FollowedRun = z.output<typeof RunSchema>;

/** @throws ZodError if it is no run */
export function toRun(body: Json): FollowedRun {
  return RunSchema.parse(body);
}

export interface FollowOptions {
  readonly onEvent: (event: HistoryEvent) => void;
  /** Time to stop waiting, in milliseconds since the epoch; `null` for never. */
  readonly until: number | null;
}

/** Delay between requests while a run waits: the API answers those at once. */
const PAUSE_MS = 500;

/** Waits until a run ends, or needs an action from outside. @returns its last state */
export async function followRun(
  client: ApiClient,
  id: string,
  { onEvent, until }: FollowOptions,
): Promise<FollowedRun> {
  const readNewEvents = createHistoryReader(client, id);
  for (;;) {
    const run = toRun(await client.get(`/api/runs/${id}`, 'wait=1'));
    for (const event of await readNewEvents()) onEvent(event);
    if (isAtRest(run) || (until !== null && Date.now() >= until)) return run;
    if (run.status === 'waiting') await sleep(PAUSE_MS);
  }
}

/** True if the run has ended, is paused or waits without a timer; otherwise it continues by itself. */
export function isAtRest({ status, waitingFor }: FollowedRun): boolean {
  if (status === 'queued' || status === 'running') return false;
  return status !== 'waiting' || waitingFor.every(({ kind }) => kind !== 'timer');
}

const PageSchema = z.looseObject({ items: z.array(EventSchema), nextCursor: z.string().nullable() });

/** Creates a reader that returns each event once. */
function createHistoryReader(client: ApiClient, id: string): () => Promise<readonly HistoryEvent[]> {
  let cursor: string | null = null;
  let lastSeq = 0;
  return async () => {
    const events: HistoryEvent[] = [];
    for (;;) {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = PageSchema.parse(await client.get(`/api/runs/${id}/history?limit=200${query}`));
      events.push(...page.items.filter(({ seq }) => seq > lastSeq));
      lastSeq = events.at(-1)?.seq ?? lastSeq;
      if (page.nextCursor === null) return events;
      cursor = page.nextCursor;
    }
  };
}
