import { once, EventEmitter } from 'node:events';
import { listenOnPort } from '../../src/process/listen.ts';

/** The server of each tool: it responds at once, and records when it was called. */
export interface EchoTool {
  readonly url: string;
  /** The number of calls. */
  readonly calls: number;
  /** Resolves at the next call. @returns its time, in milliseconds of `performance.now()` */
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
  const server = await listenOnPort({ fetch: answer }, { port: 0 });
  return {
    url: server.url,
    get calls() {
      return calls;
    },
    nextCall: async () => Number((await once(called, 'call'))[0]),
    stop: () => server.stop(),
  };
}
