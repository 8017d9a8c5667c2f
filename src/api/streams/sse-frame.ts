/** An event of a stream of server-sent events (WHATWG HTML, section 9.2). Neither id nor type may hold a line break. */
interface ServerSentEvent {
  /** What a client resumes after; without it the client keeps the id of the event before. */
  readonly id?: string | undefined;
  readonly type: string;
  readonly data: unknown;
}

/** Tells clients how long to wait before they come back. */
export const RETRY_FRAME = 'retry: 1000\n\n';
/** A comment: clients ignore it, proxies see that the connection is in use. */
export const HEARTBEAT_FRAME = ': hb\n\n';

/** Writes an event; JSON has no line breaks, so its data is one line. */
export function toFrame({ id, type, data }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Moves the place that a client resumes after, without an event. */
export function toIdFrame(id: string): string {
  return `id: ${id}\n\n`;
}
