import type { Client, Listing } from 'holdfast/client';

type History = ReturnType<Client['runs']['history']>;

/** An event of a run, as its history has it. */
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

/** Names a node of a run over all its graphs: the ids of the nodes around it, and its own, such as `outer/inner`. */
export function addressOf({ node, path = [] }: NodePath): string {
  return [...path, node].join('/');
}

interface Task extends NodePath {
  readonly visit: number;
  readonly index?: number | undefined;
}

/** Names an execution of a node for people, such as `pay[2] (visit 3)`. */
export function taskName(task: Task): string {
  const element = task.index === undefined ? '' : `[${task.index}]`;
  return `${addressOf(task)}${element}${task.visit > 1 ? ` (visit ${task.visit})` : ''}`;
}

/** Tells executions of nodes apart. */
export function taskKey(task: Task): string {
  return `${addressOf(task)}#${task.index ?? ''}.${task.visit}`;
}

/** A first page comes soon, to draw something; the rest comes in few. */
const FIRST_PAGE = 200;
const LATER_PAGE = 1_000;

interface Reading {
  readonly runId: string;
  /** The first events, which are not read again. */
  readonly known: readonly RunEvent[];
  readonly signal?: AbortSignal;
  /** Told of what is known after each page but the last. */
  readonly onPage?: (known: readonly RunEvent[]) => void;
}

/**
 * Reads on behind what is known of a history.
 * @returns the same object when nothing is new
 */
export async function readHistory(
  runs: Pick<Client['runs'], 'history'>,
  { runId, known, signal, onPage }: Reading,
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
