import { EventEmitter, once } from 'node:events';
import { z } from 'zod';
import { listen } from '../../../src/process/listen.ts';

/** A third party that does jobs, once for each idempotency key, and remembers who asked for what. */
export interface JobService {
  readonly url: string;
  /** As `http.allow` names it. */
  readonly address: string;
  /** Every call as it came, repeated and refused ones too. */
  readonly calls: readonly JobCall[];
  /** The jobs that were done, in the order in which they were. */
  readonly done: readonly string[];
  /** Refuses a job so often: nothing is done then. */
  refuse(job: string, times?: number): void;
  /** Lets the next call for a job wait. @returns what lets it go on, once the call has come */
  hold(job: string): Promise<() => void>;
  /** Breaks off what is held, and lets nobody in. */
  leave(): Promise<void>;
  /** Is there again where it was, and knows what it has done. */
  comeBack(): Promise<void>;
  /** Forgets all of it. */
  forget(): void;
  stop(): Promise<void>;
}

export interface JobCall {
  readonly job: string;
  readonly key: string;
}

const BodySchema = z.looseObject({ job: z.string() });

/** @param port any free one, unless it is to come back to it after long */
export async function startJobService(port = 0): Promise<JobService> {
  const events = new EventEmitter().setMaxListeners(0);
  const refusals = new Map<string, number>();
  const held = new Set<string>();
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
    return Response.json({ job });
  };
  let door = await listen({ fetch: serve }, { port });
  return {
    url: door.url,
    address: `127.0.0.1:${door.port}`,
    get calls() {
      return calls;
    },
    get done() {
      return [...done.values()];
    },
    refuse: (job, times = 1) => void refusals.set(job, times),
    async hold(job) {
      held.add(job);
      await once(events, `held ${job}`);
      return () => void events.emit(`released ${job}`);
    },
    leave: () => door.stop(),
    async comeBack() {
      door = await listen({ fetch: serve }, { port: door.port });
    },
    forget() {
      [calls, done] = [[], new Map()];
      refusals.clear();
      held.clear();
    },
    stop: () => door.stop(),
  };
}
