import { Hono } from 'hono';
import type { Context } from 'hono';
import { z } from 'zod';
import { listenOnPort } from '../../src/process/listen.ts';
import { createBehaviors } from './behaviors.ts';
import type { Behaviors, ServiceEnvironment } from './behaviors.ts';

/** A third party that executes jobs with changing behavior, and records them. */
export interface ThirdParty extends Pick<Behaviors, 'delayCall'> {
  readonly url: string;
  readonly records: CallRecords;
  stop(): Promise<void>;
}

/** The records of a third party, whatever it has responded. */
export interface CallRecords {
  /** Every executed job, with the number of executions. */
  readonly done: ReadonlyMap<string, number>;
  /** All calls, including repeated and refused ones. */
  readonly calls: number;
  /** True while a call for the job is in progress. */
  isBusyWith(job: string): boolean;
}

const BodySchema = z.looseObject({ job: z.string() });
const jobOf = async ({ req }: Context): Promise<string> => BodySchema.parse(await req.json()).job;

/** The key by which each endpoint recognizes an executed job. */
const ENDPOINTS: Readonly<Record<string, (job: string, key: string) => string | null>> = {
  look: (job) => job,
  peek: (job) => job,
  order: (_, key) => key,
  undo: (_, key) => key,
  pay: () => null,
};

/** @param canDelay as in `createBehaviors`, with jobs as subjects */
export async function startThirdParty(seed: number, canDelay?: (job: string) => boolean): Promise<ThirdParty> {
  const behaviors = createBehaviors(seed, canDelay);
  const done = new Map<string, number>();
  const known = new Set<string>();
  const guests = new Map<string, number>();
  let calls = 0;

  const count = (counts: Map<string, number>, job: string, change: number): void =>
    void counts.set(job, (counts.get(job) ?? 0) + change);
  const app = new Hono<ServiceEnvironment>();
  app.use(async (context, next) => {
    const job = await jobOf(context);
    calls += 1;
    count(guests, job, 1);
    try {
      await next();
    } finally {
      count(guests, job, -1);
    }
  });
  app.post('/refuse', (context) => context.text('Never', 422));
  app.post('/:endpoint', behaviors.middleware(jobOf), async (context) => {
    const job = await jobOf(context);
    const identity =
      ENDPOINTS[context.req.param('endpoint')]?.(job, context.req.header('idempotency-key') ?? '') ?? null;
    if (identity === null || !known.has(identity)) count(done, job, 1);
    if (identity !== null) known.add(identity);
    return context.json({ receipt: job });
  });
  const endpoint = await listenOnPort(app, { port: 0 });
  return {
    url: endpoint.url,
    delayCall: async (skip, withinMs) => await behaviors.delayCall(skip, withinMs),
    records: {
      done,
      get calls() {
        return calls;
      },
      isBusyWith: (job) => (guests.get(job) ?? 0) > 0,
    },
    stop: () => endpoint.stop(),
  };
}
