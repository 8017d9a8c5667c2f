import { createRoute } from '@hono/zod-openapi';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { KnownApproval } from '../../store/approvals.ts';
import { toInboxApproval } from '../approvals/inbox-approval.ts';
import { listOwnApprovals } from '../approvals/list-own-approvals.ts';
import { findWithRun } from '../approvals/find-approval.ts';
import { showNoted } from '../approvals/show-noted.ts';
import { COMMENTS_LISTED, withNotes } from '../approvals/with-notes.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findRun } from '../runs/find-run.ts';
import { showAll } from '../redaction/hidden-from.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { readPage } from '../http/paging.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import {
  ApprovalFilterQuery,
  ApprovalListSchema,
  ApprovalSchema,
  DecideSchema,
  DecisionHeaders,
  DecisionSchema,
} from '../schemas/approval.ts';
import { MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems, idOf } from '../schemas/common.ts';

const tags = ['approvals'];

/** Makes the routes `approve` and `reject` of a run. */
function decideOnRun(decision: 'approve' | 'reject', summary: string): AddRoute {
  return (router, deps) => {
    const route = createRoute({
      method: 'post',
      path: `/api/runs/{id}/${decision}`,
      operationId: `${decision}Run`,
      tags,
      security: needs('approval:decide'),
      summary,
      middleware: [authorized(deps, 'approval:decide'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
      request: { params: idOf('run'), ...body(DecideSchema), headers: DecisionHeaders },
      responses: { 200: json(ApprovalSchema, 'The approval'), ...problems(400, 404, 409, 410, 412, 413, 415) },
    });
    router.openapi(route, async (c) => {
      const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
      const wanted = { decision, ...c.req.valid('json'), ifMatch: c.req.header('if-match') };
      c.set('acts', [{ action: `run.${decision}`, subject: run.id }]);
      const decided = await decideApproval(deps, c.get('caller'), { run, attempt: c.get('attempt'), wanted });
      c.set('acts', [{ action: `approval.${decision}`, subject: decided.id }]);
      return c.json(decided, 200);
    });
  };
}

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/approvals',
    operationId: 'listApprovals',
    tags,
    security: needs('run:read'),
    summary: 'The inbox: approvals of the tenant, the newest first, or those that were decided last',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { query: PageQuery.extend(ApprovalFilterQuery.shape) },
    responses: { 200: json(ApprovalListSchema, 'A page of approvals'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const { limit, cursor, mine, ...filter } = c.req.valid('query');
    const own = mine === 'true' ? caller.sub : null;
    const list = ['approvals', tenantId, filter, own];
    const page = await readPage(deps.cursors, { list, limit, cursor }, async (request) => {
      const { items, next } =
        own === null
          ? await deps.store.approvals.list(tenantId, filter, request)
          : await listOwnApprovals(deps, caller, { filter, page: request });
      const show = (approval: KnownApproval, hidden: Redaction) => toInboxApproval(approval, hidden, deps.seals);
      return { items: await withNotes(deps, await showAll({ ...deps, caller }, items, show), COMMENTS_LISTED), next };
    });
    return c.json(page, 200);
  });
};

const read: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/approvals/{id}',
    operationId: 'getApproval',
    tags,
    security: needs('run:read'),
    summary: 'An approval',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { params: idOf('approval'), query: NoQuery },
    responses: { 200: json(ApprovalSchema, 'The approval'), ...problems(404) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const found = await findWithRun(deps, caller, c.req.valid('param').id);
    return c.json(await showNoted(deps, caller, found), 200);
  });
};

const decision: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/approvals/{id}/decision',
    operationId: 'decideApproval',
    tags,
    security: needs('approval:decide'),
    summary: 'Decide an approval',
    middleware: [authorized(deps, 'approval:decide'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('approval'), ...body(DecisionSchema), headers: DecisionHeaders },
    responses: { 200: json(ApprovalSchema, 'The approval'), ...problems(400, 404, 409, 410, 412, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { approval, run } = await findWithRun(deps, c.get('caller'), c.req.valid('param').id);
    const wanted = { ...c.req.valid('json'), approvalId: approval.id, ifMatch: c.req.header('if-match') };
    c.set('acts', [{ action: `approval.${wanted.decision}`, subject: approval.id }]);
    return c.json(await decideApproval(deps, c.get('caller'), { run, attempt: c.get('attempt'), wanted }), 200);
  });
};

/** Routes of approvals: the inbox and decisions. */
export const approvalRoutes = routes(
  decideOnRun('approve', "Approve an approval of a run: the named one, or the run's first"),
  decideOnRun('reject', "Reject an approval of a run: the named one, or the run's first"),
  list,
  read,
  decision,
);
