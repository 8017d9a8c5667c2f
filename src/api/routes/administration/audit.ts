import { createRoute } from '@hono/zod-openapi';
import { readPage } from '../../http/paging.ts';
import { authorized, needs } from '../../middleware/authorized.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { AuditQuery, AuditSchema } from '../../schemas/admin.ts';
import { json, problems } from '../../schemas/common.ts';

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/admin/audit',
    operationId: 'listAudit',
    tags: ['admin'],
    security: needs('admin'),
    summary: 'Who has done what over HTTP, in all tenants, the newest first',
    middleware: [authorized(deps, 'admin')] as const,
    request: { query: AuditQuery },
    responses: { 200: json(AuditSchema, 'A page of entries'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const { limit, cursor, ...filter } = c.req.valid('query');
    const asked = { list: ['audit', filter], limit, cursor };
    return c.json(await readPage(deps.cursors, asked, (request) => deps.store.audit.list(filter, request)), 200);
  });
};

/** The route of the audit. */
export const auditRoutes = routes(list);
