import { createRoute } from '@hono/zod-openapi';
import { mapPage } from '../../store/page.ts';
import { readPage } from '../http/paging.ts';
import { authorized, needs, requirePermission, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems } from '../schemas/common.ts';
import {
  NewWebhookSchema,
  NothingSchema,
  RotateSchema,
  WebhookId,
  WebhookListSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
  DeliveryId,
  DeliveryQuery,
  WebhookDeliveryListSchema,
  WebhookDeliverySchema,
} from '../schemas/webhook.ts';
import {
  createAddWebhook,
  findWebhook,
  present,
  rotateSecret,
  shownWebhook,
  findEnabled,
} from '../webhooks/add-webhook.ts';
import { bodyOf } from '../webhooks/event-body.ts';

const tags = ['webhooks'];
const path = '/api/webhooks/{id}';
const security = needs('run:control');

const add: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/webhooks',
    operationId: 'addWebhook',
    tags,
    security,
    summary: 'Tell an address of events of the tenant; the answer alone shows its secret',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { ...body(NewWebhookSchema), headers: KeyHeader },
    responses: {
      201: json(WebhookWithSecretSchema, 'The webhook with its secret', 'location'),
      ...problems(400, 409, 413, 415),
    },
  });
  const addWebhook = createAddWebhook(deps);
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    // A receiver reads what it is told of runs.
    requirePermission(caller, 'run:read');
    const { tenantId, sub: createdBy } = caller;
    const { secret: given, linkBase = null, events, ...wanted } = c.req.valid('json');
    const { id } = c.get('attempt');
    const told = { events: [...new Set(events)], linkBase, secret: given };
    const { webhook, secret } = await addWebhook({ ...wanted, ...told, id, tenantId, createdBy });
    c.header('location', `/api/webhooks/${id}`);
    return c.json({ ...shownWebhook(webhook), secret }, 201);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/webhooks',
    operationId: 'listWebhooks',
    tags,
    security,
    summary: 'The webhooks of the tenant, the newest first',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { query: PageQuery },
    responses: { 200: json(WebhookListSchema, 'A page of webhooks'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const { tenantId } = c.get('caller');
    const asked = { list: ['webhooks', tenantId], ...c.req.valid('query') };
    const page = await readPage(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.webhooks.list(tenantId, request), shownWebhook),
    );
    return c.json(page, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path,
    operationId: 'getWebhook',
    tags,
    security,
    summary: 'A webhook',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { params: WebhookId, query: NoQuery },
    responses: { 200: json(WebhookSchema, 'The webhook'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const webhook = await findWebhook(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(shownWebhook(webhook), 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteWebhook',
    tags,
    security,
    summary: 'Remove a webhook with its deliveries',
    middleware: [authorized(deps, 'run:control')] as const,
    request: { params: WebhookId, query: NoQuery },
    responses: { 204: { description: 'There is no such webhook now' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    await deps.store.webhooks.remove(c.get('caller').tenantId, c.req.valid('param').id);
    return c.body(null, 204);
  });
};

const rotate: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: `${path}/rotate`,
    operationId: 'rotateWebhook',
    tags,
    security,
    summary: 'Give a webhook another secret; for 24 hours, the one of before signs beside it',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: WebhookId, ...body(RotateSchema), headers: KeyHeader },
    responses: {
      200: json(WebhookWithSecretSchema, 'The webhook with its new secret'),
      ...problems(400, 404, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const wanted = { id: c.req.valid('param').id, secret: c.req.valid('json').secret, attempt: c.get('attempt') };
    const { webhook, secret } = await rotateSecret(deps, c.get('caller'), wanted);
    return c.json({ ...shownWebhook(webhook), secret }, 200);
  });
};

const enable: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: `${path}/enable`,
    operationId: 'enableWebhook',
    tags,
    security,
    summary: 'Tell a webhook of events again that was disabled',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: WebhookId, ...body(NothingSchema), headers: KeyHeader },
    responses: { 200: json(WebhookSchema, 'The webhook'), ...problems(400, 404, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { id } = c.req.valid('param');
    const webhook = await deps.store.webhooks.enable(c.get('caller').tenantId, id);
    return c.json(shownWebhook(present(webhook, id)), 200);
  });
};

/** Routes of webhooks: addresses that are told of events. Their URLs may hold secrets, so who reads runs does not read them. */
export const webhookRoutes = routes(add, list, read, remove, rotate, enable);

const deliveryTags = ['webhooks'];
const deliveryPath = '/api/webhooks/{id}';
const deliverySecurity = needs('run:control');

const listDeliveries: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: `${deliveryPath}/deliveries`,
    operationId: 'listWebhookDeliveries',
    tags: deliveryTags,
    security: deliverySecurity,
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
    path: `${deliveryPath}/ping`,
    operationId: 'pingWebhook',
    tags: deliveryTags,
    security: deliverySecurity,
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
    path: `${deliveryPath}/deliveries/{deliveryId}/replay`,
    operationId: 'replayWebhookDelivery',
    tags: deliveryTags,
    security: deliverySecurity,
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
export const webhookDeliveryRoutes = routes(listDeliveries, ping, replay);
