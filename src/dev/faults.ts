import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';

/** What the handlers of the demo's services know of a request: the connection that it came on. */
export interface ServiceEnvironment {
  Bindings: HttpBindings;
}

/** Failures to order: the next calls of a path fail as they were told to. */
export interface Faults {
  /** `POST` orders a fault, `DELETE` takes all of them back. */
  readonly routes: Hono;
  /** Fails the calls that it stands in front of, as long as a fault for their path is left. */
  on(path: string): MiddlewareHandler<ServiceEnvironment>;
}

const MAX_DELAY_MS = 600_000;

const FaultSchema = z
  .strictObject({
    path: z.string(),
    status: z.int().min(400).max(599).optional(),
    drop: z.boolean().default(false),
    delayMs: z.int().min(0).max(MAX_DELAY_MS).default(0),
    /** Seconds, told in the `Retry-After` header of a failing status. */
    retryAfter: z.int().min(0).optional(),
    /** The work is done and its answer lost: the caller can't know. */
    afterWork: z.boolean().default(false),
    times: z.int().min(1).max(10_000),
  })
  .refine(({ status, drop, delayMs }) => status !== undefined || drop || delayMs > 0, {
    error: 'say what goes wrong: status, drop or delayMs',
  });

type Fault = z.output<typeof FaultSchema>;

/** @param paths those that can fail; an order that names none means the first */
export function createFaults(paths: readonly [string, ...string[]]): Faults {
  let pending: readonly Fault[] = [];
  const take = (path: string): Fault | undefined => {
    const fault = pending.find((candidate) => candidate.path === path);
    const rest = (other: Fault): Fault[] => {
      if (other !== fault) return [other];
      return other.times > 1 ? [{ ...other, times: other.times - 1 }] : [];
    };
    pending = pending.flatMap(rest);
    return fault;
  };
  const routes = new Hono();
  routes.post('/', async (context) => {
    const parsed = OrderSchema(paths).safeParse(await readJson(context));
    if (!parsed.success) return context.json(toProblem('INVALID_FAULT', z.prettifyError(parsed.error)), 422);
    pending = [...pending, parsed.data];
    return context.json(parsed.data, 201);
  });
  routes.delete('/', (context) => {
    pending = [];
    return context.body(null, 204);
  });
  return {
    routes,
    on: (path) => async (context, next) => {
      const fault = take(path);
      return fault ? await fail(context, fault, next) : await next();
    },
  };
}

/** An error as the demo's services tell it. */
export function toProblem(code: string, message: string): { readonly error: { code: string; message: string } } {
  return { error: { code, message } };
}

/** The body as JSON; what is none is `undefined`, which no schema takes. */
export async function readJson({ req }: Context): Promise<unknown> {
  return await req.json().catch(() => undefined);
}

function OrderSchema(paths: readonly [string, ...string[]]): z.ZodType<Fault> {
  const Named = z.looseObject({ path: z.enum(paths).default(paths[0]) });
  return Named.pipe(FaultSchema);
}

async function fail(
  context: Context<ServiceEnvironment>,
  { status, drop, delayMs, retryAfter, afterWork }: Fault,
  next: () => Promise<void>,
): Promise<Response | void> {
  if (afterWork) await next();
  await sleep(delayMs, undefined, { ref: false });
  if (drop) context.env.outgoing.destroy();
  if (drop || status !== undefined) {
    context.res = undefined;
    context.res = drop ? RESPONSE_ALREADY_SENT : toFailure(status ?? 500, retryAfter);
  } else if (!afterWork) await next();
}

function toFailure(status: number, retryAfter: number | undefined): Response {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return Response.json(toProblem('ORDERED_FAULT', `This call was told to fail with ${status}`), { status, headers });
}
