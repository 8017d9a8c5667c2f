import { EventEmitter, once } from 'node:events';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A third party that delays all responses until it is released. */
export interface HoldingService {
  readonly url: string;
  /** The address in the form of `http.allow`. */
  readonly address: string;
  /** The idempotency keys of all calls, in order. */
  readonly keys: readonly string[];
  /** The number of calls without a response. */
  readonly open: number;
  /** The maximum number of calls that waited at the same time. */
  readonly peak: number;
  /** Responds to all calls, and to further ones at once. */
  letGo(): void;
  stop(): Promise<void>;
}

export async function startHoldingService(): Promise<HoldingService> {
  const events = new EventEmitter().setMaxListeners(0);
  const keys: string[] = [];
  let [open, peak, isHolding] = [0, 0, true];
  const serve = async (request: Request): Promise<Response> => {
    keys.push(request.headers.get('idempotency-key') ?? '');
    open += 1;
    peak = Math.max(peak, open);
    if (isHolding) await once(events, 'let go');
    open -= 1;
    return Response.json({ done: true });
  };
  const door = await listenOnPort({ fetch: serve }, { port: 0 });
  return {
    url: door.url,
    address: `127.0.0.1:${door.port}`,
    keys,
    get open() {
      return open;
    },
    get peak() {
      return peak;
    },
    letGo() {
      isHolding = false;
      events.emit('let go');
    },
    stop: () => door.stop(),
  };
}
