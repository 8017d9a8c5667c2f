import { createRoute } from '@hono/zod-openapi';
import { mapPage } from '../../../store/page.ts';
import { readPage } from '../../http/paging.ts';
import { authorized, needs, requirePermission } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems } from '../../schemas/common.ts';
import {
  NewWebhookSchema,
  NothingSchema,
  RotateSchema,
  WebhookId,
  WebhookListSchema,
  WebhookSchema,
  WebhookWithSecretSchema,
} from '../../schemas/webhook.ts';
import { createAddWebhook } from '../../webhooks/add-webhook.ts';
import { findWebhook, present } from '../../webhooks/find-webhook.ts';
import { rotateSecret } from '../../webhooks/rotate-secret.ts';
import { shownWebhook } from '../../webhooks/shown-webhook.ts';

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
