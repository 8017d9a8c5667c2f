import type { ApiDeps } from '../deps.ts';
import { retryAfter } from '../http/errors.ts';
import { createTenantSlots } from '../http/tenant-slots.ts';
import type { TenantSlots } from '../http/tenant-slots.ts';
import { seesPayloads } from '../redaction.ts';
import { routes, tagged } from '../middleware/route.ts';
import type { Route } from '../middleware/route.ts';
import { idOf, jsonAnswer } from '../schemas/common.ts';
import {
  EventStreamSchema,
  LastEventId,
  LastSeq,
  NewTicketSchema,
  RunStreamQuery,
  TenantStreamQuery,
  TicketSchema,
} from '../schemas/stream.ts';
import { answerStream } from '../streams/answer-stream.ts';
import { createEventIds, readLastEventId, requireWrittenSeq, eventIdTooOld } from '../streams/event-ids.ts';
import { streamRun } from '../streams/stream-run.ts';
import { streamTenant } from '../streams/stream-tenant.ts';
import { shareReads } from '../streams/subscribe-to-run.ts';
import { createTenantFeeds } from '../streams/tenant-feeds.ts';
import { findRun } from '../runs/read-run.ts';

const runsTag = tagged('runs');

const EVENT_STREAM = {
  description: 'The events, as they come',
  content: { 'text/event-stream': { schema: EventStreamSchema } },
};

const streamRunRoute = (slots: TenantSlots): Route =>
  runsTag.get('/api/runs/{id}/events', 'ticket', {
    id: 'streamRun',
    summary: 'The events of a run, as they come, until it has ended',
    params: idOf('run'),
    query: RunStreamQuery,
    headers: LastSeq,
    answers: { 200: EVENT_STREAM },
    problems: [400, 404, 429],
    handle: (deps) => {
      const { changes, deltas, historyParts } = deps.store;
      const sources = { changes, deltas, historyParts: shareReads(historyParts), fingerprints: deps.fingerprints };
      return async (c) => {
        const caller = c.get('caller');
        const { id: runId, lastSeq } = await findRun(deps, caller, c.req.valid('param').id);
        const after = readLastEventId(c.req.header('last-event-id'), lastSeq) ?? c.get('resumeAfter') ?? 0;
        const { stream: detail } = c.req.valid('query');
        return await answerStream(c, deps, {
          slots,
          produce: async (body) => await streamRun(sources, { runId, after, detail, caller }, body),
        });
      };
    },
  });

const streamEventsRoute = (slots: TenantSlots): Route =>
  runsTag.get('/api/events', 'run:read', {
    id: 'streamEvents',
    summary: 'The events of all runs of the tenant, as they come, from now on',
    query: TenantStreamQuery,
    headers: LastEventId,
    answers: { 200: EVENT_STREAM },
    problems: [400, 429],
    handle: (deps) => {
      const { changes, tenantEvents } = deps.store;
      const sources = { changes, ids: createEventIds(deps.cursors), fingerprints: deps.fingerprints };
      const feeds = createTenantFeeds(deps.store);
      return async (c) => {
        const caller = c.get('caller');
        const { graph, type } = c.req.valid('query');
        const lastEventId = c.req.header('last-event-id');
        const known = lastEventId === undefined ? null : sources.ids.read(caller.tenantId, lastEventId);
        if (known && !(await tenantEvents.isKept(known))) throw eventIdTooOld();
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
      };
    },
  });

const createStreamTicketRoute = runsTag.post('/api/runs/{id}/stream-ticket', 'run:read', {
  id: 'createStreamTicket',
  summary: 'A ticket for one stream of a run, for browsers: it holds for a minute',
  params: idOf('run'),
  body: NewTicketSchema,
  audit: 'none',
  answers: { 201: jsonAnswer(TicketSchema, 'The ticket') },
  problems: [404, 429],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { id: runId, tenantId, lastSeq } = await findRun(deps, caller, c.req.valid('param').id);
    const issued = await deps.store.streamTickets.issue({
      tenantId,
      runId,
      sub: caller.sub,
      seesPayloads: seesPayloads(caller),
      after: requireWrittenSeq(c.req.valid('json').after, lastSeq),
      tokenExpiresAtMs: caller.expiresAtMs ?? null,
    });
    if (!issued)
      throw retryAfter(10, 'TOO_MANY_REQUESTS', 'The tenant has too many unused tickets; each expires after a minute');
    c.header('cache-control', 'no-store');
    return c.json(issued, 201);
  },
});

/** Routes of event streams. */
export function streamRoutes(deps: ApiDeps): ReturnType<ReturnType<typeof routes>> {
  const slots = createTenantSlots(deps.settings.streams);
  return routes(streamRunRoute(slots), streamEventsRoute(slots), createStreamTicketRoute)(deps);
}
