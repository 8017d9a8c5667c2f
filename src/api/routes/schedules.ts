import type { z } from '@hono/zod-openapi';
import { toJsonObject } from '../../graph/values/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { Schedule, ScheduleTerms, Timing } from '../../store/schedules/schedule.ts';
import { readPageByCursor } from '../http/paging.ts';
import { changeSchedule, createSchedule, removeSchedule, findSchedule } from '../schedules/change-schedule.ts';
import { toOneScheduleJson, toSchedulesJson, toFireJson } from '../schedules/schedule-json.ts';
import { auditPathId, auditNewId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import { PageQuery, idOf, jsonAnswer } from '../schemas/common.ts';
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

const schedules = tagged('schedules');

const createScheduleRoute = schedules.post('/api/schedules', 'run:start', {
  id: 'createSchedule',
  summary: 'Start runs of a graph at times of their own',
  body: NewScheduleSchema,
  audit: auditNewId('schedule.create'),
  answers: { 201: jsonAnswer(ScheduleSchema, 'The schedule') },
  problems: [404, 429],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const terms = toTerms(c.req.valid('json'));
    const schedule = await createSchedule(deps, caller, c.get('attempt').id, terms);
    return c.json(await toOneScheduleJson(deps, caller, schedule), 201);
  },
});

const listSchedulesRoute = schedules.get('/api/schedules', 'run:read', {
  id: 'listSchedules',
  summary: 'The schedules of the tenant, the newest first',
  query: PageQuery,
  answers: { 200: jsonAnswer(ScheduleListSchema, 'A page of schedules') },
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const page = await readPageByCursor(
      deps.cursors,
      { list: ['schedules', tenantId], ...c.req.valid('query') },
      async (request) => await deps.store.schedules.list(tenantId, request),
    );
    return c.json({ ...page, items: await toSchedulesJson(deps, caller, page.items) }, 200);
  },
});

const getScheduleRoute = schedules.get('/api/schedules/{id}', 'run:read', {
  id: 'getSchedule',
  summary: 'A schedule, its next times and its last runs',
  params: idOf('schedule'),
  answers: { 200: jsonAnswer(ScheduleSchema, 'The schedule') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const schedule = await findSchedule(deps, caller, c.req.valid('param').id);
    return c.json(await toOneScheduleJson(deps, caller, schedule), 200);
  },
});

const changeScheduleRoute = schedules.patch('/api/schedules/{id}', 'run:start', {
  id: 'changeSchedule',
  summary: 'Change a schedule; its runs act as the caller from then on, unless it is only paused or goes on',
  params: idOf('schedule'),
  body: ScheduleChangeSchema,
  audit: auditPathId('schedule.change'),
  answers: { 200: jsonAnswer(ScheduleSchema, 'The schedule') },
  problems: [404, 429],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const given = c.req.valid('json');
    const { id } = c.req.valid('param');
    if (Object.keys(given).length === 0)
      return c.json(await toOneScheduleJson(deps, caller, await findSchedule(deps, caller, id)), 200);
    const change = (before: Schedule): ScheduleTerms => withChange(before, given);
    const { schedule, hasNewOwner } = await changeSchedule(deps, caller, id, change);
    const acts = ['schedule.change', ...(hasNewOwner ? ['schedule.own'] : [])];
    c.set(
      'acts',
      acts.map((action) => ({ action, subject: id })),
    );
    return c.json(await toOneScheduleJson(deps, caller, schedule), 200);
  },
});

const deleteScheduleRoute = schedules.delete('/api/schedules/{id}', 'run:start', {
  id: 'deleteSchedule',
  summary: 'Delete a schedule; its runs go on',
  params: idOf('schedule'),
  audit: auditPathId('schedule.delete'),
  answers: { 204: { description: 'There is no such schedule now' } },
  handle: (deps) => async (c) => {
    await removeSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.body(null, 204);
  },
});

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

/** The schema allows exactly one of the two. */
function toTiming(cron: string | undefined, every: string | undefined): Timing {
  return cron === undefined ? { cron: null, every: every ?? '' } : { cron, every: null };
}

/** Fields that the change omits are copied unchanged. */
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

const triggerScheduleRoute = schedules.post('/api/schedules/{id}/trigger', 'run:start', {
  id: 'triggerSchedule',
  summary: 'Take this moment as a time of a schedule, also of a paused one',
  params: idOf('schedule'),
  body: NoFields,
  audit: auditPathId('schedule.trigger'),
  answers: { 202: jsonAnswer(TickSchema, 'What becomes of it') },
  problems: [404],
  handle: (deps) => async (c) => {
    const schedule = await findSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(toFireJson(await trigger(deps, schedule, c.get('attempt').id)), 202);
  },
});

const backfillScheduleRoute = schedules.post('/api/schedules/{id}/backfill', 'run:start', {
  id: 'backfillSchedule',
  summary: 'Take the times of a schedule that are over and were not taken, one run after the other',
  params: idOf('schedule'),
  body: BackfillSchema,
  audit: auditPathId('schedule.backfill'),
  answers: { 202: jsonAnswer(BackfilledSchema, 'All times of the span') },
  problems: [404],
  handle: (deps) => async (c) => {
    const schedule = await findSchedule(deps, c.get('caller'), c.req.valid('param').id);
    return c.json({ times: await backfill(deps, schedule, c.req.valid('json')) }, 202);
  },
});

/** Routes of schedules: create, read, change, delete, trigger, backfill. */
export const scheduleRoutes = routes(
  createScheduleRoute,
  listSchedulesRoute,
  getScheduleRoute,
  changeScheduleRoute,
  deleteScheduleRoute,
  triggerScheduleRoute,
  backfillScheduleRoute,
);
