import { createRoute } from '@hono/zod-openapi';
import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import { hideRefusal, hideIntervention } from '../../graph/redaction/index.ts';
import { isLive } from '../../store/runs.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { afterSending, sendSignal } from '../runs/send-signal.ts';
import { findRun, toRunJson } from '../runs/run-json.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom, refusePlaceholders } from '../redaction.ts';
import { authorized, needs, routes } from '../middleware/authorized.ts';
import type { AddRoute } from '../middleware/authorized.ts';
import { idempotent } from '../middleware/idempotent.ts';
import { jsonBody } from '../middleware/bodies.ts';
import { toApiError } from '../http/errors.ts';
import { KeyHeader, MAX_BODY_BYTES, body, json, problems, idOf, PageQuery } from '../schemas/common.ts';
import { CONTROLS } from '../schemas/controls.ts';
import type { Control } from '../schemas/controls.ts';
import { RunSchema } from '../schemas/run.ts';
import { bindControl } from '../runs/bind-control.ts';
import { untilRun } from '../runs/until-run.ts';
import { mapPage } from '../../store/page.ts';
import type { InterventionRecord } from '../../store/interventions.ts';
import { readPage } from '../http/paging.ts';
import { InterventionListSchema } from '../schemas/approval.ts';

/** Makes the route of a control, which sends a signal; the run decides if it takes the signal now. */
function addControl({ signal: name, route: path, summary, body: Body }: Control): AddRoute {
  return (router, deps) => {
    const route = createRoute({
      method: 'post',
      path: `/api/runs/{id}/${path}`,
      operationId: `${path}Run`,
      tags: ['controls'],
      security: needs('run:control'),
      summary,
      middleware: [authorized(deps, 'run:control'), jsonBody(MAX_BODY_BYTES), idempotent(deps)] as const,
      request: { params: idOf('run'), ...body(Body), headers: KeyHeader },
      responses: { 202: json(RunSchema, 'The run'), ...problems(400, 404, 409, 413, 415, 422) },
    });
    router.openapi(route, async (c) => {
      const caller = c.get('caller');
      const run = await findRun(deps, caller, c.req.valid('param').id);
      const hidden = hiddenFrom(caller, run);
      const wanted = toJsonObject(c.req.valid('json'));
      if (isJsonObject(wanted['values'])) refusePlaceholders(wanted['values'], hidden);
      const signal = { name, attempt: c.get('attempt'), ...bindControl(run, name, wanted) };
      const result = await sendSignal(deps, caller, { run, signal });
      if (!result.taken) throw toApiError(hideRefusal(result.refusal, hidden));
      return c.json(await afterSending(() => readAfterControl(deps, caller, run)), 202);
    });
  };
}

/**
 * Reads a run after a control. Its next control is bound to its row, so that is not to be behind what is shown.
 * @param before the run before the control
 */
async function readAfterControl({ store, engine }: ApiDeps, caller: Caller, before: RunRecord) {
  const { id } = before;
  const look = async (): Promise<RunRecord> => (await store.runs.find(id)) ?? before;
  const run = await look();
  // A run that has ended in the store need not be asked, and one that was put aside can't be.
  const live = isLive(before) && isLive(run) ? await engine.view(run) : null;
  const least = live && live.status !== 'running' ? live.lastSeq : 0;
  const isWanted = ({ lastSeq }: RunRecord): boolean => lastSeq >= least;
  const written = await untilRun(store, { runId: id, look, isWanted, withinMs: SHOWN_WITHIN_MS });
  const view = live && live.lastSeq > written.lastSeq ? live : written.view;
  return toRunJson(written, caller, { retrying: await store.ledger.retrying(id), view });
}

/** A run is shown as it says itself if it is not written by then. */
const SHOWN_WITHIN_MS = 2_000;

/** Routes of the controls of a run. */
export const controlRoutes = routes(...CONTROLS.map(addControl));

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
