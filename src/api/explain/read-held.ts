import { nodeOfIntervention } from '../../graph/run/index.ts';
import type { Run } from '../../graph/run/index.ts';
import type { RunRecord } from '../../store/runs.ts';
import { isStart } from '../../workflows/contract.ts';
import type { ApiDeps } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { toPrincipal } from '../http/to-principal.ts';
import type { Facts } from './facts.ts';

/** A run that waits for people, or has failed. */
interface Skippable {
  readonly run: RunRecord;
  /** Of a run that has failed. */
  readonly state: Run | null;
}

/**
 * Finds what a caller may not skip, because its approvals are decided by others. Where the graph can't be compiled, or not
 * now, the permission alone says who may: a run that is in trouble is explained all the same.
 */
export async function readHeld(
  { store, graphJobs, logger }: Pick<ApiDeps, 'store' | 'graphJobs' | 'logger'>,
  caller: Caller,
  { run, state }: Skippable,
): Promise<Facts['heldFromReader']> {
  const skips = skipsOf(run);
  if (skips.length === 0 || !caller.permissions.has('run:control')) return new Set();
  const [start, approvals] = await Promise.all([store.runs.startOf(run.id), store.approvals.ofRun(run.id)]);
  if (!isStart(start)) return new Set();
  const asked = approvals.flatMap((one) => one.requesters);
  const requesters = [run.createdBy, ...(state?.shapedBy ?? []).map(({ sub }) => sub), ...asked];
  const actor = { by: toPrincipal(caller), at: new Date().toISOString(), requesters, approvals };
  const { definition, catalog } = start;
  const task = { graph: { definition, catalog }, places: skips.map(({ place }) => place), actor };
  const refusals = await graphJobs.do('refuseSkips', run.tenantId, task).catch((error: unknown) => {
    logger.warn({ error, run: run.id }, 'it could not be judged who may skip a node');
    return [];
  });
  return new Set(skips.filter((_, at) => refusals[at]).map(({ key }) => key));
}

/** What could be skipped: each intervention under its id, a node that has failed the run under its name. */
function skipsOf({ status, view }: RunRecord) {
  const node = status === 'failed' ? view?.error?.node : undefined;
  const failed = node === undefined ? [] : [{ key: node, place: { node } }];
  const waiting = (view?.waitingFor ?? []).flatMap(({ kind, id }) => {
    const place = kind === 'intervention' && id !== undefined ? nodeOfIntervention(id) : null;
    return place && id !== undefined ? [{ key: id, place }] : [];
  });
  return [...failed, ...waiting];
}
