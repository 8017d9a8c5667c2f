import { createRoute } from '@hono/zod-openapi';
import { commentOnApproval, remindOfApproval } from '../approvals/annotate-approval.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/json-body.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { ApprovalSchema, CommentSchema, ReminderSchema } from '../schemas/approval.ts';
import { KeyHeader, MAX_BODY_BYTES, body, idOf, json, problems } from '../schemas/common.ts';

const tags = ['approvals'];
/** Who steers runs, and who decides. */
const ANY = ['run:control', 'approval:decide'] as const;

const comment: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/approvals/{id}/comment',
    operationId: 'commentOnApproval',
    tags,
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
    tags,
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
