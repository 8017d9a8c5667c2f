import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Json } from '../graph/values/index.ts';
import type { ApiClient } from './api-client.ts';
import { EventSchema } from './describe-event.ts';
import type { HistoryEvent } from './describe-event.ts';

/** A run, as far as somebody who waits for it must know it. */
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

/** @throws ZodError when it is no run */
export function toRun(body: Json): FollowedRun {
  return RunSchema.parse(body);
}

export interface Following {
  readonly tell: (event: HistoryEvent) => void;
  /** When to give up, in milliseconds since the epoch; `null`: never. */
  readonly until: number | null;
}

/** The API answers at once while a run waits. */
const PAUSE_MS = 500;

/** Waits until a run ends, or until nothing but somebody else can make it go on. @returns the run as it is then */
export async function followRun(client: ApiClient, id: string, { tell, until }: Following): Promise<FollowedRun> {
  const readNews = createHistoryReader(client, id);
  for (;;) {
    const run = toRun(await client.get(`/api/runs/${id}`, 'wait=1'));
    for (const event of await readNews()) tell(event);
    if (isAtRest(run) || (until !== null && Date.now() >= until)) return run;
    if (run.status === 'waiting') await sleep(PAUSE_MS);
  }
}

/** What only waits for a time to come goes on by itself. */
export function isAtRest({ status, waitingFor }: FollowedRun): boolean {
  if (status === 'queued' || status === 'running') return false;
  return status !== 'waiting' || waitingFor.every(({ kind }) => kind !== 'timer');
}

const PageSchema = z.looseObject({ items: z.array(EventSchema), nextCursor: z.string().nullable() });

/** Gives the events that were not there before, each time. */
function createHistoryReader(client: ApiClient, id: string): () => Promise<readonly HistoryEvent[]> {
  let cursor: string | null = null;
  let lastSeq = 0;
  return async () => {
    const news: HistoryEvent[] = [];
    for (;;) {
      const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = PageSchema.parse(await client.get(`/api/runs/${id}/history?limit=200${query}`));
      news.push(...page.items.filter(({ seq }) => seq > lastSeq));
      lastSeq = news.at(-1)?.seq ?? lastSeq;
      if (page.nextCursor === null) return news;
      cursor = page.nextCursor;
    }
  };
}
