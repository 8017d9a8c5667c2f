import { createRoute } from '@hono/zod-openapi';
import type { z } from '@hono/zod-openapi';
import { toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { Schedule, ScheduleTerms, Timing } from '../../store/schedules/schedule.ts';
import { readPage } from '../http/paging.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { changeSchedule, createSchedule, removeSchedule, findSchedule } from '../schedules/change-schedule.ts';
import { toOneScheduleJson, toSchedulesJson, toFireJson } from '../schedules/schedule-json.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, idOf, json, problems } from '../schemas/common.ts';
import {
  NewScheduleSchema,
  ScheduleChangeSchema,
  ScheduleListSchema,
  ScheduleSchema,
  BackfillSchema,
  BackfilledSchema,
  NoFields,
  TickSchema,
} from '../schemas/schedule.ts';
import { backfill, trigger } from '../schedules/trigger.ts';

const tags = ['schedules'];
const path = '/api/schedules/{id}';

const create: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/schedules',
    operationId: 'createSchedule',
    tags,
    security: needs('run:start'),
    summary: 'Start runs of a graph at times of their own',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { ...body(NewScheduleSchema), headers: KeyHeader },
    responses: { 201: json(ScheduleSchema, 'The schedule'), ...problems(400, 404, 409, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const terms = toTerms(c.req.valid('json'));
    const schedule = await createSchedule(deps, caller, { id: c.get('attempt').id, terms });
    return c.json(await toOneScheduleJson(deps, caller, schedule), 201);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/schedules',
    operationId: 'listSchedules',
    tags,
    security: needs('run:read'),
    summary: 'The schedules of the tenant, the newest first',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { query: PageQuery },
    responses: { 200: json(ScheduleListSchema, 'A page of schedules'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const page = await readPage(
      deps.cursors,
      { list: ['schedules', tenantId], ...c.req.valid('query') },
      async (request) => await deps.store.schedules.list(tenantId, request),
    );
    return c.json({ ...page, items: await toSchedulesJson(deps, caller, page.items) }, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path,
    operationId: 'getSchedule',
    tags,
    security: needs('run:read'),
    summary: 'A schedule, its next times and its last runs',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: idOf('schedule'), query: NoQuery },
    responses: { 200: json(ScheduleSchema, 'The schedule'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const schedule = await findSchedule(deps, caller, c.req.valid('param').id);
    return c.json(await toOneScheduleJson(deps, caller, schedule), 200);
  });
};

const change: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'patch',
    path,
    operationId: 'changeSchedule',
    tags,
    security: needs('run:start'),
    summary: 'Change a schedule; its runs act as the caller from then on, unless it is only paused or goes on',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('schedule'), ...body(ScheduleChangeSchema), headers: KeyHeader },
    responses: { 200: json(ScheduleSchema, 'The schedule'), ...problems(400, 404, 409, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const given = c.req.valid('json');
    const { id } = c.req.valid('param');
    if (Object.keys(given).length === 0)
      return c.json(await toOneScheduleJson(deps, caller, await findSchedule(deps, caller, id)), 200);
    const change = (before: Schedule): ScheduleTerms => withChange(before, given);
    const { schedule, hasNewOwner } = await changeSchedule(deps, caller, { id, change });
    const acts = ['schedule.change', ...(hasNewOwner ? ['schedule.own'] : [])];
    c.set(
      'acts',
      acts.map((action) => ({ action, subject: id })),
    );
    return c.json(await toOneScheduleJson(deps, caller, schedule), 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteSchedule',
    tags,
    security: needs('run:start'),
    summary: 'Delete a schedule; its runs go on',
    middleware: [authorized(deps, 'run:start')] as const,
    request: { params: idOf('schedule'), query: NoQuery },
    responses: { 204: { description: 'There is no such schedule now' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    await removeSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.body(null, 204);
  });
};

/** Routes of schedules: make, read, change, delete. */
export const scheduleRoutes = routes(create, list, read, change, remove);

function toTerms({
  cron,
  every,
  input,
  metadata,
  limits,
  ...given
}: z.output<typeof NewScheduleSchema>): ScheduleTerms {
  return {
    ...given,
    ...toTiming(cron, every),
    input: toJsonObject(input),
    metadata: toJsonObject(metadata),
    limits: toJsonObject(limits),
  };
}

/** The schema lets one of both through. */
function toTiming(cron: string | undefined, every: string | undefined): Timing {
  return cron === undefined ? { cron: null, every: every ?? '' } : { cron, every: null };
}

/** What a change does not name stays the very value that it is. */
function withChange(schedule: Schedule, change: z.output<typeof ScheduleChangeSchema>): ScheduleTerms {
  const { cron, every, input, metadata, limits, threadId } = change;
  const { graph = schedule.graph, timeZone = schedule.timeZone } = change;
  const { overlap = schedule.overlap, paused = schedule.paused } = change;
  const kept = (given: object | undefined, before: JsonObject): JsonObject => (given ? toJsonObject(given) : before);
  const isTimed = cron !== undefined || every !== undefined;
  return {
    graph,
    timeZone,
    overlap,
    paused,
    threadId: threadId === undefined ? schedule.threadId : threadId,
    input: kept(input, schedule.input),
    metadata: kept(metadata, schedule.metadata),
    limits: kept(limits, schedule.limits),
    ...(isTimed ? toTiming(cron, every) : timingOf(schedule)),
  };
}

function timingOf(schedule: Timing): Timing {
  return schedule.cron === null ? { cron: null, every: schedule.every } : { cron: schedule.cron, every: null };
}

const fireTags = ['schedules'];

const now: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/schedules/{id}/trigger',
    operationId: 'triggerSchedule',
    tags: fireTags,
    security: needs('run:start'),
    summary: 'Take this moment as a time of a schedule, also of a paused one',
    middleware: [authorized(deps, 'run:start'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('schedule'), ...body(NoFields), headers: KeyHeader },
    responses: { 202: json(TickSchema, 'What becomes of it'), ...problems(400, 404, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const schedule = await findSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(toFireJson(await trigger(deps, schedule, c.get('attempt').id)), 202);
  });
};

const past: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/schedules/{id}/backfill',
    operationId: 'backfillSchedule',
    tags: fireTags,
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

/** Routes that fire a schedule by hand. */
export const fireRoutes = routes(now, past);
