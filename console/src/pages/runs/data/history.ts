import type { Client, Listing } from 'holdfast/client';

type History = ReturnType<Client['runs']['history']>;

/** An event of a run's history. */
export type RunEvent = History extends Listing<infer Event> ? Event : never;

/** The events of node tasks. */
export type TaskEvent = Extract<RunEvent, { readonly visit: number }>;

export function isTaskEvent(event: RunEvent): event is TaskEvent {
  return 'visit' in event;
}

interface NodePath {
  readonly node: string;
  readonly path?: readonly string[] | undefined;
}

/** Returns the address of a node within a run: the ids of the enclosing nodes and its own, such as `outer/inner`. */
export function addressOf({ node, path = [] }: NodePath): string {
  return [...path, node].join('/');
}

interface Task extends NodePath {
  readonly visit: number;
  readonly index?: number | undefined;
}

/** Formats an execution of a node for people, such as `pay[2] (visit 3)`. */
export function taskName(task: Task): string {
  const element = task.index === undefined ? '' : `[${task.index}]`;
  return `${addressOf(task)}${element}${task.visit > 1 ? ` (visit ${task.visit})` : ''}`;
}

/** Returns a key that identifies an execution of a node. */
export function taskKey(task: Task): string {
  return `${addressOf(task)}#${task.index ?? ''}.${task.visit}`;
}

/** The first page is small, so that something is visible soon; later pages are large. */
const FIRST_PAGE = 200;
const LATER_PAGE = 1_000;

interface HistoryRequest {
  readonly runId: string;
  /** The events that are loaded already. */
  readonly known: readonly RunEvent[];
  readonly signal?: AbortSignal;
  /** Called with all events so far after each page except the last. */
  readonly onPage?: (known: readonly RunEvent[]) => void;
}

/**
 * Loads the events after the known ones.
 * @returns the same array if there are no new events
 */
export async function readHistory(
  runs: Pick<Client['runs'], 'history'>,
  { runId, known, signal, onPage }: HistoryRequest,
): Promise<readonly RunEvent[]> {
  let now = known;
  for (;;) {
    const after = now.at(-1)?.seq ?? 0;
    const limit = after === 0 ? FIRST_PAGE : LATER_PAGE;
    const { items, nextCursor } = await runs.history(runId, { limit, after }, { signal }).page();
    if (items.length > 0) now = now.concat(items);
    if (nextCursor === null) return now;
    onPage?.(now);
  }
}
