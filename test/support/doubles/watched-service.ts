import { EventEmitter, once } from 'node:events';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A proxy of a service that can block calls, for tests of what happens while a call is open. */
export interface WatchedService {
  readonly url: string;
  /**
   * Blocks the next call whose method and path match. `before`: the call never reaches the service.
   * `after`: the service does the work, and its answer is blocked.
   * @returns when a call is blocked
   */
  holdNext(call: string, when: 'before' | 'after'): Promise<void>;
  /** Passes all calls on again and breaks the blocked ones. */
  release(): void;
  stop(): Promise<void>;
}

interface Hold {
  readonly call: string;
  readonly when: 'before' | 'after';
}

/** @param target the address of the service */
export async function watchService(target: string): Promise<WatchedService> {
  const events = new EventEmitter();
  let holds: readonly Hold[] = [];
  const take = (call: string): Hold | undefined => {
    const found = holds.find((hold) => hold.call === call);
    holds = holds.filter((hold) => hold !== found);
    return found;
  };
  const stay = async (): Promise<Response> => {
    events.emit('held');
    await once(events, 'released');
    return new Response(null, { status: 502 });
  };
  const fetchThrough = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const hold = take(`${request.method} ${pathname}`);
    if (hold?.when === 'before') return await stay();
    const body = request.method === 'GET' ? null : await request.text();
    const answer = await fetch(new URL(`${pathname}${search}`, target), {
      method: request.method,
      headers: request.headers,
      body,
    });
    const text = await answer.text();
    if (hold) return await stay();
    return new Response(text, {
      status: answer.status,
      headers: { 'content-type': answer.headers.get('content-type') ?? 'text/plain' },
    });
  };
  const door = await listenOnPort({ fetch: fetchThrough }, { port: 0 });
  const release = (): void => {
    holds = [];
    events.emit('released');
  };
  return {
    url: door.url,
    async holdNext(call, when) {
      const held = once(events, 'held');
      holds = [...holds, { call, when }];
      await held;
    },
    release,
    async stop() {
      release();
      await door.stop();
    },
  };
}
