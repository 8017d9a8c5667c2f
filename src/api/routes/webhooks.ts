import { mapPage } from '../../store/page.ts';
import { readPageByCursor } from '../http/paging.ts';
import { auditPathId, auditNewId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import { PageQuery, jsonAnswer } from '../schemas/common.ts';
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
import { createAddWebhook, rotateSecret } from '../webhooks/change-webhook.ts';
import { wrapEventData } from '../webhooks/event-body.ts';
import { requirePermission } from '../http/authenticate.ts';
import {
  findWebhook,
  lookForWebhook,
  requireFound,
  findEnabledWebhook,
  toWebhookJson,
} from '../webhooks/find-webhook.ts';

const webhooksTag = tagged('webhooks');

const addWebhookRoute = webhooksTag.post('/api/webhooks', 'run:control', {
  id: 'addWebhook',
  summary: 'Tell an address of events of the tenant; the answer alone shows its secret',
  body: NewWebhookSchema,
  audit: auditNewId('webhook.create'),
  answers: { 201: jsonAnswer(WebhookWithSecretSchema, 'The webhook with its secret', 'location') },
  handle: (deps) => {
    const addWebhook = createAddWebhook(deps);
    return async (c) => {
      const caller = c.get('caller');
      // A webhook receives data of runs, so its creator must be allowed to read runs.
      requirePermission(caller, 'run:read');
      const { tenantId, sub: createdBy } = caller;
      const { secret: given, linkBase = null, events, ...wanted } = c.req.valid('json');
      const { id } = c.get('attempt');
      const options = { events: [...new Set(events)], linkBase, secret: given };
      const { webhook, secret } = await addWebhook({ ...wanted, ...options, id, tenantId, createdBy });
      c.header('location', `/api/webhooks/${id}`);
      return c.json({ ...toWebhookJson(webhook), secret }, 201);
    };
  },
});

const listWebhooksRoute = webhooksTag.get('/api/webhooks', 'run:control', {
  id: 'listWebhooks',
  summary: 'The webhooks of the tenant, the newest first',
  query: PageQuery,
  answers: { 200: jsonAnswer(WebhookListSchema, 'A page of webhooks') },
  handle: (deps) => async (c) => {
    const { tenantId } = c.get('caller');
    const asked = { list: ['webhooks', tenantId], ...c.req.valid('query') };
    const page = await readPageByCursor(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.webhooks.list(tenantId, request), toWebhookJson),
    );
    return c.json(page, 200);
  },
});

const getWebhookRoute = webhooksTag.get('/api/webhooks/{id}', 'run:control', {
  id: 'getWebhook',
  summary: 'A webhook',
  params: WebhookId,
  answers: { 200: jsonAnswer(WebhookSchema, 'The webhook') },
  problems: [404],
  handle: (deps) => async (c) => {
    const webhook = await findWebhook(deps, c.get('caller'), c.req.valid('param').id);
    return c.json(toWebhookJson(webhook), 200);
  },
});

const deleteWebhookRoute = webhooksTag.delete('/api/webhooks/{id}', 'run:control', {
  id: 'deleteWebhook',
  summary: 'Remove a webhook with its deliveries',
  params: WebhookId,
  audit: auditPathId('webhook.delete'),
  answers: { 204: { description: 'There is no such webhook now' } },
  handle: (deps) => async (c) => {
    const webhook = await lookForWebhook(deps, c.get('caller'), c.req.valid('param').id);
    if (webhook) await deps.store.webhooks.remove(webhook.tenantId, webhook.id);
    return c.body(null, 204);
  },
});

const rotateWebhookRoute = webhooksTag.post('/api/webhooks/{id}/rotate', 'run:control', {
  id: 'rotateWebhook',
  summary: 'Give a webhook another secret; for 24 hours, the one of before signs beside it',
  params: WebhookId,
  body: RotateSchema,
  audit: auditPathId('webhook.rotate'),
  answers: { 200: jsonAnswer(WebhookWithSecretSchema, 'The webhook with its new secret') },
  problems: [404],
  handle: (deps) => async (c) => {
    const wanted = { id: c.req.valid('param').id, secret: c.req.valid('json').secret, attempt: c.get('attempt') };
    const { webhook, secret } = await rotateSecret(deps, c.get('caller'), wanted);
    return c.json({ ...toWebhookJson(webhook), secret }, 200);
  },
});

const enableWebhookRoute = webhooksTag.post('/api/webhooks/{id}/enable', 'run:control', {
  id: 'enableWebhook',
  summary: 'Tell a webhook of events again that was disabled',
  params: WebhookId,
  body: NothingSchema,
  audit: auditPathId('webhook.enable'),
  answers: { 200: jsonAnswer(WebhookSchema, 'The webhook') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { tenantId, id } = await findWebhook(deps, c.get('caller'), c.req.valid('param').id);
    const webhook = await deps.store.webhooks.enable(tenantId, id);
    return c.json(toWebhookJson(requireFound(webhook, id)), 200);
  },
});

const listWebhookDeliveriesRoute = webhooksTag.get('/api/webhooks/{id}/deliveries', 'run:control', {
  id: 'listWebhookDeliveries',
  summary: 'What a webhook was told in the last 30 days, and what became of it; the newest first',
  params: WebhookId,
  query: DeliveryQuery,
  answers: { 200: jsonAnswer(WebhookDeliveryListSchema, 'A page of deliveries') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { id, tenantId } = await findWebhook(deps, c.get('caller'), c.req.valid('param').id);
    const { status, ...page } = c.req.valid('query');
    const asked = { list: ['deliveries', tenantId, id, status ?? null], ...page };
    const found = await readPageByCursor(
      deps.cursors,
      asked,
      async (request) => await deps.store.webhookDeliveries.list(id, status, request),
    );
    return c.json(found, 200);
  },
});

const pingWebhookRoute = webhooksTag.post('/api/webhooks/{id}/ping', 'run:control', {
  id: 'pingWebhook',
  summary: 'Send a webhook a message `webhook.ping`',
  params: WebhookId,
  body: NothingSchema,
  audit: auditPathId('webhook.ping'),
  answers: { 202: jsonAnswer(WebhookDeliverySchema, 'The delivery, which is to come') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { id: webhookId, tenantId } = await findEnabledWebhook(deps, c.get('caller'), c.req.valid('param').id);
    const message = wrapEventData({ type: 'webhook.ping', at: new Date().toISOString() }, { webhookId });
    const { id } = c.get('attempt');
    return c.json(await deps.store.webhookDeliveries.ping({ id, tenantId, webhookId, body: message }), 202);
  },
});

const replayWebhookDeliveryRoute = webhooksTag.post(
  '/api/webhooks/{id}/deliveries/{deliveryId}/replay',
  'run:control',
  {
    id: 'replayWebhookDelivery',
    summary: 'Send a message again, with the same id and body',
    params: DeliveryId,
    body: NothingSchema,
    audit: auditPathId('webhook.replay'),
    answers: { 202: jsonAnswer(WebhookDeliverySchema, 'The delivery, which is to come') },
    problems: [404],
    handle: (deps) => async (c) => {
      const { id, deliveryId } = c.req.valid('param');
      await findEnabledWebhook(deps, c.get('caller'), id);
      const replayed = await deps.store.webhookDeliveries.replay(id, deliveryId);
      return c.json(requireFound(replayed, deliveryId, 'deliveries of this webhook'), 202);
    },
  },
);

/**
 * Routes of webhooks and their deliveries. URLs may contain secrets, so the permission to read runs does not include
 * reading webhooks.
 */
export const webhookRoutes = routes(
  addWebhookRoute,
  listWebhooksRoute,
  getWebhookRoute,
  deleteWebhookRoute,
  rotateWebhookRoute,
  enableWebhookRoute,
  listWebhookDeliveriesRoute,
  pingWebhookRoute,
  replayWebhookDeliveryRoute,
);
