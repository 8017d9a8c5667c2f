import { createRoute } from '@hono/zod-openapi';
import { reassignApproval } from '../approvals/reassign-approval.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { ApprovalSchema, ReassignmentSchema } from '../schemas/approval.ts';
import { KeyHeader, MAX_BODY_BYTES, body, idOf, json, problems } from '../schemas/common.ts';

const reassign: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/approvals/{id}/reassign',
    operationId: 'reassignApproval',
    tags: ['approvals'],
    security: needs('approval:decide'),
    summary: 'Give a pending approval to other people; what it asks, and the decisions so far, stay',
    middleware: [authorized(deps, 'approval:decide'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('approval'), ...body(ReassignmentSchema), headers: KeyHeader },
    responses: { 200: json(ApprovalSchema, 'The approval'), ...problems(400, 404, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { roles = [], users = [] } = c.req.valid('json');
    const wanted = { id: c.req.valid('param').id, attempt: c.get('attempt'), to: { roles, users } };
    return c.json(await reassignApproval(deps, c.get('caller'), wanted), 200);
  });
};

/** Gives an approval to other people. */
export const approvalReassignmentRoutes = routes(reassign);
