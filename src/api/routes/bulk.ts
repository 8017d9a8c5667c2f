import type { z } from '@hono/zod-openapi';
import { controlMany } from '../bulk/control-many.ts';
import type { ApiError } from '../http/errors.ts';
import { routes, tagged } from '../middleware/route.ts';
import { BulkResultSchema, BulkSchema, DecisionResultsSchema, DecisionsSchema } from '../schemas/bulk.ts';
import { jsonAnswer } from '../schemas/common.ts';
import { mayBeDoneLater } from '../bulk/try-each.ts';
import { decideMany } from '../bulk/decide-many.ts';
import type { DecisionOutcome } from '../bulk/decide-many.ts';

const controlsTag = tagged('controls');
const approvalsTag = tagged('approvals');

const controlRunsRoute = controlsTag.post('/api/runs/bulk', 'run:control', {
  id: 'controlRuns',
  summary: 'Cancel, pause, resume or retry up to 1,000 runs',
  body: BulkSchema,
  audit: 'by-handler',
  answers: { 200: jsonAnswer(BulkResultSchema, 'What came of it') },
  handle: (deps) => async (c) => {
    const { action, ids, filter = {}, cursor, reason, dryRun } = c.req.valid('json');
    const selection = ids ? { ids } : { filter, cursor };
    const request = { attempt: c.get('attempt'), record: c.get('recordAct') };
    const wanted = { action, selection, reason, mode: dryRun ? 'preview' : 'do', ...request } as const;
    const result = await controlMany(deps, c.get('caller'), wanted);
    c.set('isUnfinished', result.failed.some(mayBeDoneLater));
    return c.json(result, 200);
  },
});

const decideApprovalsRoute = approvalsTag.post('/api/approvals/decisions', 'approval:decide', {
  id: 'decideApprovals',
  summary: 'Decide up to 100 approvals, each for itself',
  body: DecisionsSchema,
  audit: 'by-handler',
  answers: { 200: jsonAnswer(DecisionResultsSchema, 'A result for each decision') },
  handle: (deps) => async (c) => {
    const { decisions } = c.req.valid('json');
    const request = { attempt: c.get('attempt'), record: c.get('recordAct') };
    const tried = await decideMany(deps, c.get('caller'), { decisions, ...request });
    c.set(
      'isUnfinished',
      tried.some((one) => 'refused' in one && mayBeDoneLater(one.refused)),
    );
    return c.json({ results: tried.map(toDecisionResult) }, 200);
  },
});

type DecisionResult = z.output<typeof DecisionResultsSchema>['results'][number];

function toDecisionResult({ item: { approvalId }, ...result }: DecisionOutcome): DecisionResult {
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

/** Routes that apply a control or decision to many runs or approvals. */
export const bulkRoutes = routes(controlRunsRoute, decideApprovalsRoute);
