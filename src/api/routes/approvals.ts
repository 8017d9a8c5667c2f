import { createRoute } from '@hono/zod-openapi';
import type { Redaction } from '../../graph/redaction/index.ts';
import type { KnownApproval } from '../../store/approvals.ts';
import {
  toInboxApproval,
  showNoted,
  COMMENTS_LISTED,
  withNotes,
  commentOnApproval,
  remindOfApproval,
  reassignApproval,
} from '../approvals/annotate-approval.ts';
import { listOwnApprovals, findWithRun } from '../approvals/find-approval.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { findRun } from '../runs/run-json.ts';
import { showAll } from '../redaction.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { readPage } from '../http/paging.ts';
import {
  ApprovalFilterQuery,
  ApprovalListSchema,
  ApprovalSchema,
  DecideSchema,
  DecisionHeaders,
  DecisionSchema,
  CommentSchema,
  ReminderSchema,
  ReassignmentSchema,
} from '../schemas/approval.ts';
import { MAX_BODY_BYTES, NoQuery, PageQuery, body, json, problems, idOf, KeyHeader } from '../schemas/common.ts';

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

const noteTags = ['approvals'];
/** Who steers runs, and who decides. */
const ANY = ['run:control', 'approval:decide'] as const;

const comment: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/approvals/{id}/comment',
    operationId: 'commentOnApproval',
    tags: noteTags,
    security: needs(...ANY),
    summary: 'Say something about an approval; whoever may read the run may read it',
    middleware: [authorized(deps, ...ANY), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('approval'), ...body(CommentSchema), headers: KeyHeader },
    responses: { 200: json(ApprovalSchema, 'The approval with its comments'), ...problems(400, 404, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const wanted = { id: c.req.valid('param').id, attempt: c.get('attempt'), ...c.req.valid('json') };
    return c.json(await commentOnApproval(deps, c.get('caller'), wanted), 200);
  });
};

const remind: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/approvals/{id}/remind',
    operationId: 'remindOfApproval',
    tags: noteTags,
    security: needs(...ANY),
    summary: 'Remind of a pending approval, every ten minutes at most',
    middleware: [authorized(deps, ...ANY), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { params: idOf('approval'), ...body(ReminderSchema), headers: KeyHeader },
    responses: { 200: json(ApprovalSchema, 'The approval'), ...problems(400, 404, 409, 413, 415, 429) },
  });
  router.openapi(route, async (c) => {
    const wanted = { id: c.req.valid('param').id, attempt: c.get('attempt') };
    return c.json(await remindOfApproval(deps, c.get('caller'), wanted), 200);
  });
};

/** What people add to an approval. */
export const approvalNoteRoutes = routes(comment, remind);

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
