import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { createTenantSlots } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { ticketed } from '../middleware/ticketed.ts';
import { seesAll } from '../redaction.ts';
import { findRun } from '../runs/run-json.ts';
import { KeyHeader, MAX_BODY_BYTES, body, idOf, json, problems } from '../schemas/common.ts';
import {
  EventStreamSchema,
  LastEventId,
  LastSeq,
  NewTicketSchema,
  RunStreamQuery,
  TenantStreamQuery,
  TicketSchema,
} from '../schemas/stream.ts';
import { answerStream } from '../streams/sse-body.ts';
import {
  readLastEventId,
  requireWritten,
  createPlaceIds,
  shareLooks,
  streamTenant,
  tooOld,
  createTenantFeeds,
} from '../streams/tenant-feeds.ts';
import { streamRun } from '../streams/listen-to-run.ts';

const tags = ['runs'];
const EVENT_STREAM = {
  description: 'The events, as they come',
  content: { 'text/event-stream': { schema: EventStreamSchema } },
};

const ofRun =
  (slots: TenantSlots): AddRoute =>
  (router, deps) => {
    const { changes, deltas, runLooks } = deps.store;
    const sources = { changes, deltas, looks: shareLooks(runLooks), seals: deps.seals };
    const route = createRoute({
      method: 'get',
      path: '/api/runs/{id}/events',
      operationId: 'streamRun',
      tags,
      security: needs('run:read'),
      summary: 'The events of a run, as they come, until it has ended',
      middleware: [ticketed(deps)] as const,
      request: { params: idOf('run'), query: RunStreamQuery, headers: LastSeq },
      responses: { 200: EVENT_STREAM, ...problems(400, 404, 429) },
    });
    router.openapi(route, async (c) => {
      const caller = c.get('caller');
      const { id: runId, lastSeq } = await findRun(deps, caller, c.req.valid('param').id);
      const after = readLastEventId(c.req.header('last-event-id'), lastSeq) ?? c.get('resumeAfter') ?? 0;
      const { stream: detail } = c.req.valid('query');
      return await answerStream(c, deps, {
        slots,
        produce: async (body) => await streamRun(sources, { runId, after, detail, caller }, body),
      });
    });
  };

const ofTenant =
  (slots: TenantSlots): AddRoute =>
  (router, deps) => {
    const { changes, tenantEvents } = deps.store;
    const sources = { changes, ids: createPlaceIds(deps.cursors), seals: deps.seals };
    const feeds = createTenantFeeds(deps.store);
    const route = createRoute({
      method: 'get',
      path: '/api/events',
      operationId: 'streamEvents',
      tags,
      security: needs('run:read'),
      summary: 'The events of all runs of the tenant, as they come, from now on',
      middleware: [authorized(deps, 'run:read')] as const,
      request: { query: TenantStreamQuery, headers: LastEventId },
      responses: { 200: EVENT_STREAM, ...problems(400, 429) },
    });
    router.openapi(route, async (c) => {
      const caller = c.get('caller');
      const { graph, type } = c.req.valid('query');
      const lastEventId = c.req.header('last-event-id');
      const known = lastEventId === undefined ? null : sources.ids.read(caller.tenantId, lastEventId);
      if (known && !(await tenantEvents.isKept(known))) throw tooOld();
      let idFrame = '';
      return await answerStream(c, deps, {
        slots,
        withHeartbeat: () => idFrame,
        async produce(body) {
          const feed = feeds.join(caller.tenantId);
          const moved = (frame: string): void => void (idFrame = frame);
          const filter = { graph, types: type?.split(',') };
          try {
            const from = known ?? (await feed.begin());
            await streamTenant(sources, { caller, filter, feed, from, moved }, body);
          } finally {
            feed.leave();
          }
        },
      });
    });
  };

const ticket: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/runs/{id}/stream-ticket',
    operationId: 'createStreamTicket',
    tags,
    security: needs('run:read'),
    summary: 'A ticket for one stream of a run, for browsers: it holds for a minute',
    middleware: [authorized(deps, 'run:read'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('run'), ...body(NewTicketSchema), headers: KeyHeader },
    responses: { 201: json(TicketSchema, 'The ticket'), ...problems(400, 404, 409, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { id: runId, tenantId, lastSeq } = await findRun(deps, caller, c.req.valid('param').id);
    const issued = await deps.store.streamTickets.issue({
      tenantId,
      runId,
      sub: caller.sub,
      seesPayloads: seesAll(caller),
      after: requireWritten(c.req.valid('json').after, lastSeq),
      tokenExpiresAtMs: caller.expiresAtMs ?? null,
    });
    if (!issued)
      throw new ApiError('TOO_MANY_REQUESTS', 'The tenant has too many unused tickets; each expires after a minute', {
        headers: { 'retry-after': '10' },
      });
    c.header('cache-control', 'no-store');
    return c.json(issued, 201);
  });
};

/** Routes that tell what happens while it does. */
export function streamRoutes(deps: ApiDeps): ReturnType<ReturnType<typeof routes>> {
  const slots = createTenantSlots(deps.settings.streams);
  return routes(ofRun(slots), ofTenant(slots), ticket)(deps);
}
