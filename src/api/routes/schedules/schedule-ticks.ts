import { createRoute } from '@hono/zod-openapi';
import { authorized, needs } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { backfill } from '../../schedules/backfill.ts';
import { trigger } from '../../schedules/trigger.ts';
import { findSchedule } from '../../schedules/find-schedule.ts';
import { toTickJson } from '../../schedules/schedule-json.ts';
import { KeyHeader, MAX_BODY_BYTES, body, idOf, json, problems } from '../../schemas/common.ts';
import { BackfillSchema, BackfilledSchema, NoFields, TickSchema } from '../../schemas/schedule.ts';

const tags = ['schedules'];

const now: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/schedules/{id}/trigger',
    operationId: 'triggerSchedule',
    tags,
    security: needs('run:start'),
    summary: 'Take this moment as a time of a schedule, also of a paused one',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('schedule'), ...body(NoFields), headers: KeyHeader },
    responses: { 202: json(TickSchema, 'What becomes of it'), ...problems(400, 404, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const schedule = await findSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(toTickJson(await trigger(deps, schedule, c.get('attempt').id)), 202);
  });
};

const past: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/schedules/{id}/backfill',
    operationId: 'backfillSchedule',
    tags,
    security: needs('run:start'),
    summary: 'Take the times of a schedule that are over and were not taken, one run after the other',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('schedule'), ...body(BackfillSchema), headers: KeyHeader },
    responses: { 202: json(BackfilledSchema, 'All times of the span'), ...problems(400, 404, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const schedule = await findSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.json({ times: await backfill(deps, schedule, c.req.valid('json')) }, 202);
  });
};

/** Routes that give a schedule times that it does not name, or did not take. */
export const scheduleTickRoutes = routes(now, past);
