import { isJsonObject, toJsonObject } from '../../graph/values/index.ts';
import { hideRefusal, hideIntervention } from '../../graph/redaction/index.ts';
import { isDispatchedAndOpen } from '../../store/runs.ts';
import type { RunRecord } from '../../store/runs.ts';
import type { ApiDeps } from '../deps.ts';
import { afterSending, sendSignal } from '../runs/send-signal.ts';
import { toRunJson } from '../runs/run-json.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom, refusePlaceholders } from '../redaction.ts';
import { toApiError } from '../http/errors.ts';
import { auditPathId } from '../middleware/audited.ts';
import { routes, tagged } from '../middleware/route.ts';
import type { Route } from '../middleware/route.ts';
import { jsonAnswer, idOf, PageQuery } from '../schemas/common.ts';
import { CONTROLS } from '../schemas/controls.ts';
import type { Control } from '../schemas/controls.ts';
import { RunSchema } from '../schemas/run.ts';
import { bindControl } from '../runs/bind-control.ts';
import { untilRun } from '../runs/until-run.ts';
import { mapPage } from '../../store/page.ts';
import type { InterventionRecord } from '../../store/interventions.ts';
import { readPageByCursor } from '../http/paging.ts';
import { InterventionListSchema } from '../schemas/approval.ts';
import { findRun } from '../runs/read-run.ts';

const controlsTag = tagged('controls');

/** Declares the route of a control, which sends a signal. The run decides whether it accepts the signal. */
function controlRoute({ signal: name, route: path, summary, body: Body }: Control): Route {
  return controlsTag.post(`/api/runs/{id}/${path}`, 'run:control', {
    id: `${path}Run`,
    summary,
    params: idOf('run'),
    body: Body,
    audit: auditPathId(`run.${path}`),
    answers: { 202: jsonAnswer(RunSchema, 'The run') },
    problems: [404, 422],
    handle: (deps) => async (c) => {
      const caller = c.get('caller');
      const run = await findRun(deps, caller, c.req.valid('param').id);
      const hidden = hiddenFrom(caller, run);
      const wanted = toJsonObject(c.req.valid('json'));
      if (isJsonObject(wanted['values'])) refusePlaceholders(wanted['values'], hidden);
      const signal = { name, attempt: c.get('attempt'), ...bindControl(run, name, wanted) };
      const result = await sendSignal(deps, caller, run, signal);
      if (!result.taken) throw toApiError(hideRefusal(result.refusal, hidden));
      return c.json(await afterSending(() => readAfterControl(deps, caller, run)), 202);
    },
  });
}

/**
 * Reads a run after a control. The next control is bound to the stored row, so the row must not be older than the
 * answer.
 * @param before the run before the control
 */
async function readAfterControl({ store, engine }: ApiDeps, caller: Caller, before: RunRecord) {
  const { id } = before;
  const look = async (): Promise<RunRecord> => (await store.runs.find(id)) ?? before;
  const run = await look();
  // A run that has ended in the store need not be queried, and a quarantined run can't be.
  const live = isDispatchedAndOpen(before) && isDispatchedAndOpen(run) ? await engine.view(run) : null;
  const least = live && live.status !== 'running' ? live.lastSeq : 0;
  const isWanted = ({ lastSeq }: RunRecord): boolean => lastSeq >= least;
  const written = await untilRun(store.changes, { runId: id, look, isWanted, withinMs: SHOWN_WITHIN_MS });
  const view = live && live.lastSeq > written.lastSeq ? live : written.view;
  return toRunJson(written, caller, { retrying: await store.ledger.retrying(id), view });
}

/** If the row is not written within this time, the workflow's own view is returned. */
const SHOWN_WITHIN_MS = 2_000;

const listInterventionsRoute = controlsTag.get('/api/interventions', 'run:read', {
  id: 'listInterventions',
  summary: 'Failed nodes and calls of the tenant that wait for a person, those of the newest run first',
  query: PageQuery,
  answers: { 200: jsonAnswer(InterventionListSchema, 'A page of interventions') },
  handle: (deps) => async (c) => {
    const caller = c.get('caller');
    const { tenantId } = caller;
    const asked = { list: ['interventions', tenantId], ...c.req.valid('query') };
    const page = await readPageByCursor(deps.cursors, asked, async (request) =>
      mapPage(await deps.store.interventions.list(tenantId, request), (record) => toInterventionJson(record, caller)),
    );
    return c.json(page, 200);
  },
});

function toInterventionJson({ runId, intervention, redaction }: InterventionRecord, caller: Caller) {
  const { kind: _kind, ...visible } = hideIntervention(intervention, hiddenFrom(caller, { redaction }));
  return { runId, ...visible };
}

/** Routes of the controls of a run, and of interventions, which the controls `retry`, `skip` and `fail` settle. */
export const controlRoutes = routes(...CONTROLS.map(controlRoute), listInterventionsRoute);
