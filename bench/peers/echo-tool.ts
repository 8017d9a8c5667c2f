import { once, EventEmitter } from 'node:events';
import { listen } from '../../src/process/listen.ts';

/** The other side of each tool: answers at once, and knows when it was called. */
export interface EchoTool {
  readonly url: string;
  /** How often it was called. */
  readonly calls: number;
  /** Resolves when it is called next. @returns the time of that, in milliseconds of `performance.now()` */
  nextCall(): Promise<number>;
  stop(): Promise<void>;
}

export async function startEchoTool(): Promise<EchoTool> {
  const called = new EventEmitter();
  let calls = 0;
  const answer = (): Response => {
    calls += 1;
    called.emit('call', performance.now());
    return Response.json({ ok: true });
  };
  const server = await listen({ fetch: answer }, { port: 0 });
  return {
    url: server.url,
    get calls() {
      return calls;
    },
    nextCall: async () => Number((await once(called, 'call'))[0]),
    stop: () => server.stop(),
  };
}
