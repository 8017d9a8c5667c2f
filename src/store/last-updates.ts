import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { EventOf, RunEvent } from '../graph/journal/index.ts';
import { EVENTS_PAGE, IN_ORDER, LAST_SEQ } from './events.ts';
import { readPage } from './page.ts';
import type { Tables } from './tables.ts';

/** A task of a graph. A task without an index was not started by a `forEach`. */
export interface CompletedTask {
  readonly node: string;
  readonly index?: number;
}

type TaskCompletion = EventOf<'node.completed' | 'node.skipped'>;
export type TaskUpdate = TaskCompletion['update'];

/**
 * Reads the latest updates that tasks of the root graph have written in a superstep, in the order of the tasks. It may be
 * older than the last node of a failed run, whose superstep has a higher number.
 * @returns `null` for a task without a stored event
 * @internal
 */
export async function readLastUpdates(
  db: Kysely<Tables>,
  runId: string,
  step: number,
  tasks: readonly CompletedTask[],
): Promise<readonly (TaskUpdate | null)[]> {
  const keys = tasks.map(keyOfTask);
  const missing = new Set(keys);
  const found = new Map<string, TaskUpdate>();
  for (let before = LAST_SEQ; missing.size > 0 && before > 1;) {
    const { items, next } = await completionsBefore(db, runId, before);
    const ofRoot = items.flatMap(({ body }) => (isCompletion(body) && !body.path ? [body] : []));
    for (const body of ofRoot)
      if (body.step === step && missing.delete(keyOfTask(body))) found.set(keyOfTask(body), body.update);
    const isPast = ofRoot.some((body) => body.step < step);
    before = isPast ? 0 : Number(next?.id ?? 0);
  }
  return keys.map((key) => found.get(key) ?? null);
}

async function completionsBefore(db: Kysely<Tables>, runId: string, before: number) {
  const rows = db.selectFrom('events').select(['seq', 'body']).where('run_id', '=', runId).where('seq', '<', before);
  return await readPage(db, rows.where('type', 'in', ['node.completed', 'node.skipped']), {
    ...IN_ORDER,
    order: sql`seq desc`,
    limit: EVENTS_PAGE,
  });
}

function isCompletion(event: RunEvent): event is TaskCompletion {
  return event.type === 'node.completed' || event.type === 'node.skipped';
}

function keyOfTask({ node, index }: CompletedTask): string {
  return `${index ?? ''} ${node}`;
}
