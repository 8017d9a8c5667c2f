import { EventEmitter, once } from 'node:events';
import { z } from 'zod';
import { listenOnPort } from '../../../src/process/listen.ts';

/** A third party that executes a job once per idempotency key, and records all calls. */
export interface JobService {
  readonly url: string;
  /** The address in the form of `http.allow`. */
  readonly address: string;
  /** All calls in order, including repeated and refused ones. */
  readonly calls: readonly JobCall[];
  /** The executed jobs in order. */
  readonly done: readonly string[];
  /** Refuses the next `times` calls for a job without executing it. */
  refuse(job: string, times?: number): void;
  /** Executes the job of the next call for it, and disconnects in the middle of the response. */
  breakOff(job: string): void;
  /** Blocks the next call for a job. Resolves when it arrives. @returns a function that unblocks it */
  hold(job: string): Promise<() => void>;
  /** Goes offline and breaks the connections of blocked calls. */
  leave(): Promise<void>;
  /** Goes online again at the same address, with its finished jobs. */
  comeBack(): Promise<void>;
  /** Forgets all calls and jobs. */
  forget(): void;
  stop(): Promise<void>;
}

export interface JobCall {
  readonly job: string;
  readonly key: string;
}

const BodySchema = z.looseObject({ job: z.string() });

/** @param port by default any free one; a service that is offline for long needs a reserved one */
export async function startJobService(port = 0): Promise<JobService> {
  const events = new EventEmitter().setMaxListeners(0);
  const refusals = new Map<string, number>();
  const held = new Set<string>();
  const brokenOff = new Set<string>();
  let calls: JobCall[] = [];
  let done = new Map<string, string>();
  const serve = async (request: Request): Promise<Response> => {
    const { job } = BodySchema.parse(await request.json());
    const key = request.headers.get('idempotency-key') ?? '';
    calls.push({ job, key });
    if (held.delete(job)) {
      const released = once(events, `released ${job}`);
      events.emit(`held ${job}`);
      await released;
    }
    const left = refusals.get(job) ?? 0;
    refusals.set(job, left - 1);
    if (left > 0) return new Response(`${job} is refused`, { status: 404 });
    done.set(key, job);
    return brokenOff.delete(job) ? halfAnAnswer() : Response.json({ job });
  };
  let door = await listenOnPort({ fetch: serve }, { port });
  return {
    url: door.url,
    address: `127.0.0.1:${door.port}`,
    get calls() {
      return calls;
    },
    get done() {
      return [...done.values()];
    },
    breakOff: (job) => void brokenOff.add(job),
    refuse: (job, times = 1) => void refusals.set(job, times),
    async hold(job) {
      held.add(job);
      await once(events, `held ${job}`);
      return () => void events.emit(`released ${job}`);
    },
    leave: () => door.stop(),
    async comeBack() {
      door = await listenOnPort({ fetch: serve }, { port: door.port });
    },
    forget() {
      [calls, done] = [[], new Map()];
      refusals.clear();
      held.clear();
      brokenOff.clear();
    },
    stop: () => door.stop(),
  };
}

function halfAnAnswer(): Response {
  const begin = new TextEncoder().encode('{"job":');
  const parts = [
    (to: ReadableStreamDefaultController) => to.enqueue(begin),
    (to: ReadableStreamDefaultController) => to.error(new Error('The answer breaks off')),
  ];
  const body = new ReadableStream({ pull: (controller) => parts.shift()?.(controller) });
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}
