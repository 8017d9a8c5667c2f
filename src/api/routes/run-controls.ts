import { createRoute } from '@hono/zod-openapi';
import type { z } from '@hono/zod-openapi';
import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import { isEnded } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { findRun } from '../runs/find-run.ts';
import { authorized } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { toApiError } from '../http/errors.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { toRunJson } from '../runs/run-json.ts';
import { Id, MAX_BODY_BYTES, body, json, problems, security } from '../schemas/common.ts';
import {
  CancelSchema,
  EventSignalSchema,
  FailSchema,
  PauseSchema,
  ReplanSchema,
  ResumeSchema,
  RetrySchema,
  RunSchema,
  SkipSchema,
} from '../schemas/run.ts';
import { sendSignal } from '../runs/send-signal.ts';

/** Controls whose signal has another name. */
const SIGNALS: Readonly<Record<string, string>> = { signal: 'event' };

/** Makes the route of a control, which sends a signal; the run decides if it takes the signal now. */
function control(name: string, summary: string, Body: z.ZodType<object>): AddRoute {
  const signal = SIGNALS[name] ?? name;
  return (router, deps) => {
    const route = createRoute({
      method: 'post',
      path: `/api/runs/{id}/${name}`,
      tags: ['controls'],
      security,
      summary,
      middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
      request: { params: Id, ...body(Body) },
      responses: { 202: json(RunSchema, 'The run'), ...problems(400, 404, 409, 413, 415, 422) },
    });
    router.openapi(route, async (c) => {
      const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
      const payload = toJsonObject(c.req.valid('json'));
      const outcome = await sendSignal(deps, c.get('caller'), {
        run,
        signal: { name: signal, attempt: c.get('attempt'), payload },
      });
      if (!outcome.taken) throw toApiError(outcome.refusal);
      return c.json(await readControlled(deps, run, payload), 202);
    });
  };
}

/** Reads a run after a control: a running workflow is ahead of the row, and any other state is in the row. */
async function readControlled(deps: ApiDeps, before: RunRecord, { limits }: JsonObject) {
  const isLive = before.isDispatched && !isEnded(before.status);
  if (isLive && isJsonObject(limits)) await deps.store.runs.setLimits(before.id, { ...before.limits, ...limits });
  const [now, view, retrying] = await Promise.all([
    deps.store.runs.find(before.id),
    isLive ? deps.engine.view(before) : null,
    deps.store.ledger.retrying(before.id),
  ]);
  const run = now ?? before;
  return toRunJson(run, retrying, view ?? run.view);
}

/** Routes of the controls of a run. */
export const controlRoutes = routes(
  control('pause', 'Stop after the superstep that runs', PauseSchema),
  control('resume', 'Go on from a pause or a breakpoint', ResumeSchema),
  control('replan', 'Go on at another node only', ReplanSchema),
  control('signal', 'Give an event to a wait node, now or later', EventSignalSchema),
  control('cancel', 'End the run as canceled', CancelSchema),
  control('retry', 'Do a node again that waits for an intervention', RetrySchema),
  control('skip', 'Go on without a node that waits for an intervention, with an output of yours', SkipSchema),
  control('fail', 'Give a node up that waits for an intervention', FailSchema),
);
