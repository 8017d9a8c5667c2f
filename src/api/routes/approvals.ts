import type { Redaction } from '../../graph/redaction/index.ts';
import type { KnownApproval } from '../../store/approvals.ts';
import { commentOnApproval, remindOfApproval, reassignApproval } from '../approvals/change-approval.ts';
import {
  listOwnApprovals,
  findApprovalWithRun,
  COMMENTS_LISTED,
  readInboxApproval,
  toInboxApproval,
  addNotes,
} from '../approvals/inbox.ts';
import { decideApproval } from '../approvals/decide-approval.ts';
import { redactAll } from '../redaction.ts';
import { readPageByCursor } from '../http/paging.ts';
import { auditPathId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import type { Route } from '../middleware/route.ts';
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
import { PageQuery, jsonAnswer, idOf } from '../schemas/common.ts';
import { findRun } from '../runs/read-run.ts';

const approvalsTag = tagged('approvals');

/** Declares the routes `approve` and `reject` of a run. */
function decideOnRun(decision: 'approve' | 'reject', summary: string): Route {
  return approvalsTag.post(`/api/runs/{id}/${decision}`, 'approval:decide', {
    id: `${decision}Run`,
    summary,
    params: idOf('run'),
    body: DecideSchema,
    headers: DecisionHeaders,
    audit: 'by-handler',
    answers: { 200: jsonAnswer(ApprovalSchema, 'The approval') },
    problems: [404, 410, 412],
    handle: (deps) => async (c) => {
      const run = await findRun(deps, c.get('caller'), c.req.valid('param').id);
      const wanted = { decision, ...c.req.valid('json'), ifMatch: c.req.header('if-match') };
      c.set('acts', [{ action: `run.${decision}`, subject: run.id }]);
      const decided = await decideApproval(deps, c.get('caller'), { run, attempt: c.get('attempt'), wanted });
      c.set('acts', [{ action: `approval.${decision}`, subject: decided.id }]);
      return c.json(decided, 200);
    },
  });
}

const listApprovalsRoute = approvalsTag.get('/api/approvals', 'run:read', {
  id: 'listApprovals',
  summary: 'The inbox: approvals of the tenant, the newest first, or those that were decided last',
  query: PageQuery.extend(ApprovalFilterQuery.shape),
  answers: { 200: jsonAnswer(ApprovalListSchema, 'A page of approvals') },
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const { limit, cursor, mine, ...filter } = c.req.valid('query');
    const own = mine === 'true' ? caller.sub : null;
    const list = ['approvals', tenantId, filter, own];
    const page = await readPageByCursor(deps.cursors, { list, limit, cursor }, async (request) => {
      const { items, next } =
        own === null
          ? await deps.store.approvals.list(tenantId, filter, request)
          : await listOwnApprovals(deps, caller, filter, request);
      const redact = (approval: KnownApproval, hidden: Redaction) =>
        toInboxApproval(approval, hidden, deps.fingerprints);
      return {
        items: await addNotes(deps, await redactAll(deps.store, caller, items, redact), COMMENTS_LISTED),
        next,
      };
    });
    return c.json(page, 200);
  },
});

const getApprovalRoute = approvalsTag.get('/api/approvals/{id}', 'run:read', {
  id: 'getApproval',
  summary: 'An approval',
  params: idOf('approval'),
  answers: { 200: jsonAnswer(ApprovalSchema, 'The approval') },
  problems: [404],
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const found = await findApprovalWithRun(deps, caller, c.req.valid('param').id);
    return c.json(await readInboxApproval(deps, caller, found), 200);
  },
});

const decideApprovalRoute = approvalsTag.post('/api/approvals/{id}/decision', 'approval:decide', {
  id: 'decideApproval',
  summary: 'Decide an approval',
  params: idOf('approval'),
  body: DecisionSchema,
  headers: DecisionHeaders,
  audit: 'by-handler',
  answers: { 200: jsonAnswer(ApprovalSchema, 'The approval') },
  problems: [404, 410, 412],
  handle: (deps) => async (c) => {
    const { approval, run } = await findApprovalWithRun(deps, c.get('caller'), c.req.valid('param').id);
    const wanted = { ...c.req.valid('json'), approvalId: approval.id, ifMatch: c.req.header('if-match') };
    c.set('acts', [{ action: `approval.${wanted.decision}`, subject: approval.id }]);
    return c.json(await decideApproval(deps, c.get('caller'), { run, attempt: c.get('attempt'), wanted }), 200);
  },
});

/** The permissions to control runs or to decide approvals. */
const ANY = ['run:control', 'approval:decide'] as const;

const commentOnApprovalRoute = approvalsTag.post('/api/approvals/{id}/comment', ANY, {
  id: 'commentOnApproval',
  summary: 'Say something about an approval; whoever may read the run may read it',
  params: idOf('approval'),
  body: CommentSchema,
  audit: auditPathId('approval.comment'),
  answers: { 200: jsonAnswer(ApprovalSchema, 'The approval with its comments') },
  problems: [404],
  handle: (deps) => async (c) => {
    const request = { id: c.req.valid('param').id, attempt: c.get('attempt') };
    return c.json(await commentOnApproval(deps, c.get('caller'), request, c.req.valid('json').text), 200);
  },
});

const remindOfApprovalRoute = approvalsTag.post('/api/approvals/{id}/remind', ANY, {
  id: 'remindOfApproval',
  summary: 'Remind of a pending approval, every ten minutes at most',
  params: idOf('approval'),
  body: ReminderSchema,
  audit: auditPathId('approval.remind'),
  answers: { 200: jsonAnswer(ApprovalSchema, 'The approval') },
  problems: [404, 429],
  handle: (deps) => async (c) => {
    const request = { id: c.req.valid('param').id, attempt: c.get('attempt') };
    return c.json(await remindOfApproval(deps, c.get('caller'), request), 200);
  },
});

const reassignApprovalRoute = approvalsTag.post('/api/approvals/{id}/reassign', 'approval:decide', {
  id: 'reassignApproval',
  summary: 'Give a pending approval to other people; what it asks, and the decisions so far, stay',
  params: idOf('approval'),
  body: ReassignmentSchema,
  audit: auditPathId('approval.reassign'),
  answers: { 200: jsonAnswer(ApprovalSchema, 'The approval') },
  problems: [404],
  handle: (deps) => async (c) => {
    const { roles = [], users = [] } = c.req.valid('json');
    const request = { id: c.req.valid('param').id, attempt: c.get('attempt') };
    return c.json(await reassignApproval(deps, c.get('caller'), request, { roles, users }), 200);
  },
});

/** Routes of approvals: inbox, decisions, notes, reassignment. */
export const approvalRoutes = routes(
  decideOnRun('approve', "Approve an approval of a run: the named one, or the run's first"),
  decideOnRun('reject', "Reject an approval of a run: the named one, or the run's first"),
  listApprovalsRoute,
  getApprovalRoute,
  decideApprovalRoute,
  commentOnApprovalRoute,
  remindOfApprovalRoute,
  reassignApprovalRoute,
);
