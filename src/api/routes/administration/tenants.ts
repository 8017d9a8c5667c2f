import { createRoute } from '@hono/zod-openapi';
import { mapPage } from '../../../store/page.ts';
import { readPage } from '../../http/paging.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { NewTenantTermsSchema, TenantId, TenantListSchema, TenantSchema } from '../../schemas/admin.ts';
import { KeyHeader, MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems } from '../../schemas/common.ts';
import { setTenantTerms } from '../../tenants/set-tenant-terms.ts';
import { shownTenant } from '../../tenants/shown-tenant.ts';

const tags = ['admin'];
const path = '/admin/tenants/{id}';
const security = needs('admin');

const put: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'put',
    path,
    operationId: 'putTenant',
    tags,
    security,
    summary:
      'Say what a tenant may use up, or suspend it, in place of what was said before; it wins over the configuration',
    middleware: [authorized(deps, 'admin'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: TenantId, ...body(NewTenantTermsSchema), headers: KeyHeader },
    responses: {
      200: json(TenantSchema, 'The tenant, of which something was said before'),
      201: json(TenantSchema, 'The tenant'),
      ...problems(400, 409, 413, 415),
    },
  });
  router.openapi(route, async (c) => {
    const tenantId = c.req.valid('param').id;
    const { terms, isNew } = await setTenantTerms(deps, c.get('caller'), { tenantId, ...c.req.valid('json') });
    return c.json(shownTenant(deps.settings, { tenantId, terms }), isNew ? 201 : 200);
  });
};

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/admin/tenants',
    operationId: 'listTenants',
    tags,
    security,
    summary: 'The tenants of which an administrator has said something, by name',
    middleware: [authorized(deps, 'admin')] as const,
    request: { query: PageQuery },
    responses: { 200: json(TenantListSchema, 'A page of tenants'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const asked = { list: ['tenants'], ...c.req.valid('query') };
    const page = await readPage(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.tenantTerms.list(request), (terms) =>
        shownTenant(deps.settings, { tenantId: terms.tenantId, terms }),
      ),
    );
    return c.json(page, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path,
    operationId: 'getTenant',
    tags,
    security,
    summary: 'What a tenant may use up, and who says so; any name is one',
    middleware: [authorized(deps, 'admin')] as const,
    request: { params: TenantId, query: NoQuery },
    responses: { 200: json(TenantSchema, 'The tenant'), ...problems() },
  });
  router.openapi(route, async (c) => {
    const tenantId = c.req.valid('param').id;
    const terms = await deps.store.tenantTerms.find(tenantId);
    return c.json(shownTenant(deps.settings, { tenantId, terms }), 200);
  });
};

const remove: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'delete',
    path,
    operationId: 'deleteTenant',
    tags,
    security,
    summary: 'Forget what an administrator has said of a tenant: the configuration counts',
    middleware: [authorized(deps, 'admin')] as const,
    request: { params: TenantId, query: NoQuery },
    responses: { 204: { description: 'The configuration counts' }, ...problems() },
  });
  router.openapi(route, async (c) => {
    await deps.store.tenantTerms.remove(c.req.valid('param').id);
    deps.store.rulings.forget();
    return c.body(null, 204);
  });
};

/** Routes of what tenants may use up. */
export const tenantRoutes = routes(put, list, read, remove);
