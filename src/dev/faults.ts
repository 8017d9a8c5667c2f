import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import type { Context, MiddlewareHandler } from 'hono';
import { z } from 'zod';

/** Bindings of the demo services' handlers: the connection of a request. */
export interface ServiceEnvironment {
  Bindings: HttpBindings;
}

/** Injected faults: the next calls of a path fail as requested. */
export interface FaultInjection {
  /** `POST` adds a fault, `DELETE` removes all of them. */
  readonly routes: Hono;
  /** Middleware that fails calls while a fault for their path is left. */
  on(path: string): MiddlewareHandler<ServiceEnvironment>;
}

const MAX_DELAY_MS = 600_000;

const FaultSchema = z
  .strictObject({
    path: z.string(),
    status: z.int().min(400).max(599).optional(),
    drop: z.boolean().default(false),
    delayMs: z.int().min(0).max(MAX_DELAY_MS).default(0),
    /** Seconds in the `Retry-After` header of a failing status. */
    retryAfter: z.int().min(0).optional(),
    /** True to do the work and lose its answer, so that the caller can't know the outcome. */
    afterWork: z.boolean().default(false),
    times: z.int().min(1).max(10_000),
  })
  .refine(({ status, drop, delayMs }) => status !== undefined || drop || delayMs > 0, {
    error: 'say what goes wrong: status, drop or delayMs',
  });

type DemoFault = z.output<typeof FaultSchema>;

/** @param paths the paths that can fail; a fault without a path concerns the first */
export function createFaults(paths: readonly [string, ...string[]]): FaultInjection {
  let pending: readonly DemoFault[] = [];
  const take = (path: string): DemoFault | undefined => {
    const fault = pending.find((candidate) => candidate.path === path);
    const rest = (other: DemoFault): DemoFault[] => {
      if (other !== fault) return [other];
      return other.times > 1 ? [{ ...other, times: other.times - 1 }] : [];
    };
    pending = pending.flatMap(rest);
    return fault;
  };
  const routes = new Hono();
  routes.post('/', async (context) => {
    const parsed = FaultRequestSchema(paths).safeParse(await readJsonBody(context));
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
      return fault ? await respondWithFault(context, fault, next) : await next();
    },
  };
}

/** The error format of the demo's services. */
export function toProblem(code: string, message: string): { readonly error: { code: string; message: string } } {
  return { error: { code, message } };
}

/** Reads the body as JSON; `undefined` if it is none, which every schema rejects. */
export async function readJsonBody({ req }: Context): Promise<unknown> {
  return await req.json().catch(() => undefined);
}

function FaultRequestSchema(paths: readonly [string, ...string[]]): z.ZodType<DemoFault> {
  const Named = z.looseObject({ path: z.enum(paths).default(paths[0]) });
  return Named.pipe(FaultSchema);
}

async function respondWithFault(
  context: Context<ServiceEnvironment>,
  { status, drop, delayMs, retryAfter, afterWork }: DemoFault,
  next: () => Promise<void>,
): Promise<Response | void> {
  if (afterWork) await next();
  await sleep(delayMs, undefined, { ref: false });
  if (drop) context.env.outgoing.destroy();
  if (drop || status !== undefined) {
    context.res = undefined;
    context.res = drop ? RESPONSE_ALREADY_SENT : toFaultResponse(status ?? 500, retryAfter);
  } else if (!afterWork) await next();
}

function toFaultResponse(status: number, retryAfter: number | undefined): Response {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return Response.json(toProblem('ORDERED_FAULT', `This call was told to fail with ${status}`), { status, headers });
}
