import { EventEmitter, once } from 'node:events';
import { listen } from '../../../src/process/listen.ts';

/** A third party that answers nothing until it is let. */
export interface HoldingService {
  readonly url: string;
  /** The address in the form of `http.allow`. */
  readonly address: string;
  /** The idempotency keys of all calls, in order. */
  readonly keys: readonly string[];
  /** The number of calls that wait for an answer. */
  readonly open: number;
  /** The most calls that have waited at a time. */
  readonly peak: number;
  /** Answers all calls, and further ones at once. */
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
  const door = await listen({ fetch: serve }, { port: 0 });
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
