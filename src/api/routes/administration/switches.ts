import { createRoute } from '@hono/zod-openapi';
import { readPage } from '../../http/paging.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { KindAndName, NewSwitchSchema, SwitchListSchema, SwitchSchema } from '../../schemas/admin.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems } from '../../schemas/common.ts';
import { setSwitch } from '../../switches/set-switch.ts';

const tags = ['admin'];
const path = '/admin/switches/{kind}/{name}';
const security = needs('admin');

const put: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'put',
    path,
    operationId: 'putSwitch',
    tags,
    security,
    summary:
      'Switch off a tool, a model, other code or a graph, or on again: its calls wait, no run of the graph begins',
    middleware: [authorized(deps, 'admin'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: KindAndName, ...body(NewSwitchSchema), headers: KeyHeader },
    responses: {
      200: json(SwitchSchema, 'The switch, which was there before'),
      201: json(SwitchSchema, 'The new switch'),
      ...problems(400, 404, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const key = c.req.valid('param');
    const { tenants = null, ...given } = c.req.valid('json');
    const { set, isNew } = await setSwitch(deps, c.get('caller'), { ...key, ...given, tenants });
    c.set('acts', [{ action: `switch.${set.state}`, subject: `${key.kind}/${key.name}` }]);
    return c.json(set, isNew ? 201 : 200);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/admin/switches',
    operationId: 'listSwitches',
    tags,
    security,
    summary: 'The switches by kind and name; what has none is on',
    middleware: [authorized(deps, 'admin')] as const,
    request: { query: PageQuery },
    responses: { 200: json(SwitchListSchema, 'A page of switches'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const asked = { list: ['switches'], ...c.req.valid('query') };
    return c.json(await readPage(deps.cursors, asked, (request) => deps.store.switches.list(request)), 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteSwitch',
    tags,
    security,
    summary: 'Forget a switch: the thing is on',
    middleware: [authorized(deps, 'admin')] as const,
    request: { params: KindAndName, query: NoQuery },
    responses: { 204: { description: 'The thing is on' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    await deps.store.switches.remove(c.req.valid('param'));
    deps.store.rulings.forget();
    return c.body(null, 204);
  });
};

/** Routes of switches. */
export const switchRoutes = routes(put, list, remove);
