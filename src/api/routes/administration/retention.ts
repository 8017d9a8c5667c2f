import { createRoute, z } from '@hono/zod-openapi';
import { authorized, needs } from '../../middleware/authorized.ts';
import { idempotent } from '../../middleware/idempotent.ts';
import { jsonBody } from '../../middleware/json-body.ts';
import { countPrunable, pruneRuns } from '../../sweeper/prune-runs.ts';
import { routes } from '../../middleware/router.ts';
import type { AddRoute } from '../../middleware/router.ts';
import { KeyHeader, MAX_BODY_BYTES, body, json, problems } from '../../schemas/common.ts';

const tags = ['admin'];

const PruneSchema = z
  .strictObject({ dryRun: z.boolean().openapi({ description: 'True: only count what would go' }) })
  .openapi('Prune', { example: { dryRun: true } });

const PrunedSchema = z
  .object({
    dryRun: z.boolean(),
    runs: z.int(),
    events: z.int(),
    checkpoints: z.int(),
    approvals: z.int(),
    ledger: z.int(),
    blobs: z.int(),
  })
  .openapi('Pruned', {
    example: { dryRun: true, runs: 12, events: 340, checkpoints: 61, approvals: 4, ledger: 38, blobs: 0 },
  });

const prune: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'post',
    path: '/admin/prune',
    operationId: 'pruneRuns',
    tags,
    security: needs('admin'),
    summary: 'Forget what has outlived the retention of the configuration',
    middleware: [authorized(deps, 'admin'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
    request: { ...body(PruneSchema), headers: KeyHeader },
    responses: { 200: json(PrunedSchema, 'How many rows went, or would go'), ...problems(400, 409, 413, 415) },
  });
  router.openapi(route, async (c) => {
    const { dryRun } = c.req.valid('json');
    if (!dryRun) await c.get('recordAct')({ action: 'retention.prune', subject: null });
    const pruned = dryRun ? await countPrunable(deps) : await pruneRuns(deps, deps.shuttingDown);
    return c.json({ dryRun, ...pruned }, 200);
  });
};

/** The route of what has outlived its retention. */
export const retentionRoutes = routes(prune);
