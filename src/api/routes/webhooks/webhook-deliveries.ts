import { createRoute } from '@hono/zod-openapi';
import { readPage } from '../../http/paging.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { KeyHeader, MAX_BODY_BYTES, body, json, problems } from '../../schemas/common.ts';
import {
  DeliveryId,
  DeliveryQuery,
  NothingSchema,
  WebhookDeliveryListSchema,
  WebhookDeliverySchema,
  WebhookId,
} from '../../schemas/webhook.ts';
import { bodyOf } from '../../webhooks/event-body.ts';
import { findEnabled, findWebhook, present } from '../../webhooks/find-webhook.ts';

const tags = ['webhooks'];
const path = '/api/webhooks/{id}';
const security = needs('run:control');

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: `${path}/deliveries`,
    operationId: 'listWebhookDeliveries',
    tags,
    security,
    summary: 'What a webhook was told in the last 30 days, and what became of it; the newest first',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { params: WebhookId, query: DeliveryQuery },
    responses: { 200: json(WebhookDeliveryListSchema, 'A page of deliveries'), ...problems(400, 404) },
  });
  router.openapi(route, async (c) => {
    const { id, tenantId } = await findWebhook(deps, c.get('caller'), c.req.valid('param').id);
    const { status, ...page } = c.req.valid('query');
    const asked = { list: ['deliveries', tenantId, id, status ?? null], ...page };
    const found = await readPage(
      deps.cursors,
      asked,
      async (request) => await deps.store.webhookDeliveries.list(id, { status }, request),
    );
    return c.json(found, 200);
  });
};

const ping: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: `${path}/ping`,
    operationId: 'pingWebhook',
    tags,
    security,
    summary: 'Send a webhook a message `webhook.ping`',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: WebhookId, ...body(NothingSchema), headers: KeyHeader },
    responses: {
      202: json(WebhookDeliverySchema, 'The delivery, which is to come'),
      ...problems(400, 404, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const { id: webhookId, tenantId } = await findEnabled(deps, c.get('caller'), c.req.valid('param').id);
    const message = bodyOf({ type: 'webhook.ping', at: new Date().toISOString() }, { webhookId });
    const { id } = c.get('attempt');
    return c.json(await deps.store.webhookDeliveries.ping({ id, tenantId, webhookId, body: message }), 202);
  });
};

const replay: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: `${path}/deliveries/{deliveryId}/replay`,
    operationId: 'replayWebhookDelivery',
    tags,
    security,
    summary: 'Send a message again, with the same id and body',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: DeliveryId, ...body(NothingSchema), headers: KeyHeader },
    responses: {
      202: json(WebhookDeliverySchema, 'The delivery, which is to come'),
      ...problems(400, 404, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const { id, deliveryId } = c.req.valid('param');
    await findEnabled(deps, c.get('caller'), id);
    const replayed = await deps.store.webhookDeliveries.replay(id, deliveryId);
    return c.json(present(replayed, deliveryId, 'deliveries of this webhook'), 202);
  });
};

/** Routes of deliveries: what webhooks were told. */
export const webhookDeliveryRoutes = routes(list, ping, replay);
