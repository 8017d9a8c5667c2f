import { createRoute } from '@hono/zod-openapi';
import { hideIntervention } from '../../graph/redaction/index.ts';
import { mapPage } from '../../store/page.ts';
import type { InterventionRecord } from '../../store/interventions.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { authorized, needs } from '../middleware/authorized.ts';
import { readPage } from '../http/paging.ts';
import { routes } from '../middleware/router.ts';
import type { AddRoute } from '../middleware/router.ts';
import { PageQuery, json, problems } from '../schemas/common.ts';
import { InterventionListSchema } from '../schemas/intervention.ts';

const list: AddRoute = (router, deps) => {
  const route = createRoute({
    method: 'get',
    path: '/api/interventions',
    operationId: 'listInterventions',
    tags: ['controls'],
    security: needs('run:read'),
    summary: 'Failed nodes and calls of the tenant that wait for a person, those of the newest run first',
    middleware: [authorized(deps, 'run:read')] as const,
    request: { query: PageQuery },
    responses: { 200: json(InterventionListSchema, 'A page of interventions'), ...problems(400) },
  });
  router.openapi(route, async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const asked = { list: ['interventions', tenantId], ...c.req.valid('query') };
    const page = await readPage(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.interventions.list(tenantId, request), (record) => toItem(record, caller)),
    );
    return c.json(page, 200);
  });
};

/** Routes of interventions: the inbox. The controls `retry`, `skip` and `fail` of a run settle them. */
export const interventionRoutes = routes(list);

function toItem({ runId, intervention, redaction }: InterventionRecord, caller: Caller) {
  const { kind: _kind, ...shown } = hideIntervention(intervention, hiddenFrom(caller, { redaction }));
  return { runId, ...shown };
}
