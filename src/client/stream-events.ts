import type { RunEvent } from '../graph/journal/index.ts';
import type { CallOptions, Connection } from './send.ts';
import { createPauses, readEvent, readStream } from './read-stream.ts';

/** An event of one of many runs. */
export type TenantEvent = RunEvent & { readonly runId: string };

export interface EventFilter extends Pick<CallOptions, 'signal'> {
  /** Only events of runs of this graph, by name. */
  readonly graph?: string | undefined;
  /** Only events of these types. */
  readonly types?: readonly RunEvent['type'][] | undefined;
  /** An id that `onPlace` has received: the stream begins with the events after it. It is valid for an hour. */
  readonly after?: string | undefined;
  /** Receives the id from which to resume: when a stream begins, after each event, and about every 15 seconds. */
  readonly onPlace?: ((id: string) => void) | undefined;
}

/** Yields the events of all runs of the tenant as they occur, each once; it opens streams again as needed. */
export async function* streamEvents(
  connection: Connection,
  { graph, types, after, onPlace, signal }: EventFilter = {},
): AsyncGenerator<TenantEvent, void> {
  const pauses = createPauses(connection.timing, signal);
  const query = { graph, type: types?.join(',') };
  for (let lastId = after; ;) {
    for await (const event of readStream(connection, { path: '/api/events', query }, { lastId, signal })) {
      if (event.lastId !== lastId) pauses.reset();
      lastId = event.lastId;
      if (event.data !== '') yield readEvent<TenantEvent>(event.data);
      onPlace?.(lastId);
    }
    await pauses.next();
  }
}
