import { createRoute } from '@hono/zod-openapi';
import type { z } from '@hono/zod-openapi';
import { controlMany, decideMany, mayBeDoneLater } from '../bulk.ts';
import type { TriedDecision } from '../bulk.ts';
import type { ApiError } from '../http/errors.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { BulkResultSchema, BulkSchema, DecisionResultsSchema, DecisionsSchema } from '../schemas/bulk.ts';
import { KeyHeader, MAX_BODY_BYTES, body, json, problems } from '../schemas/common.ts';

const control: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/runs/bulk',
    operationId: 'controlRuns',
    tags: ['controls'],
    security: needs('run:control'),
    summary: 'Cancel, pause, resume or retry up to 1,000 runs',
    middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { ...body(BulkSchema), headers: KeyHeader },
    responses: { 200: json(BulkResultSchema, 'What came of it'), ...problems(400, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { action, ids, filter = {}, cursor, reason, dryRun } = c.req.valid('json');
    const chosen = ids ? { ids } : { filter, cursor };
    const request = { attempt: c.get('attempt'), record: c.get('recordAct') };
    const wanted = { action, chosen, reason, mode: dryRun ? 'preview' : 'do', ...request } as const;
    const result = await controlMany(deps, c.get('caller'), wanted);
    c.set('isUnfinished', result.failed.some(mayBeDoneLater));
    return c.json(result, 200);
  });
};

const decide: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/api/approvals/decisions',
    operationId: 'decideApprovals',
    tags: ['approvals'],
    security: needs('approval:decide'),
    summary: 'Decide up to 100 approvals, each for itself',
    middleware: [authorized(deps, 'approval:decide'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { ...body(DecisionsSchema), headers: KeyHeader },
    responses: { 200: json(DecisionResultsSchema, 'A result for each decision'), ...problems(400, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { decisions } = c.req.valid('json');
    const request = { attempt: c.get('attempt'), record: c.get('recordAct') };
    const tried = await decideMany(deps, c.get('caller'), { decisions, ...request });
    c.set(
      'isUnfinished',
      tried.some((one) => 'refused' in one && mayBeDoneLater(one.refused)),
    );
    return c.json({ results: tried.map(toResult) }, 200);
  });
};

type DecisionResult = z.output<typeof DecisionResultsSchema>['results'][number];

function toResult({ item: { approvalId }, ...result }: TriedDecision): DecisionResult {
  return 'done' in result ? { approvalId, approval: result.done } : { approvalId, problem: toProblem(result.refused) };
}

function toProblem({ status, code, message, issues, mayTakeEffect }: ApiError) {
  return {
    status,
    code,
    detail: message,
    ...(issues.length > 0 && { issues: [...issues] }),
    ...(mayTakeEffect && { mayTakeEffect: true as const }),
  };
}

/** Routes that do for many what others do for one. */
export const bulkRoutes = routes(control, decide);
