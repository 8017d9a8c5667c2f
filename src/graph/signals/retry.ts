import { emit } from '../draft.ts';
import type { Draft } from '../draft.ts';
import { rootFrame } from '../frames.ts';
import { revive } from '../revive.ts';
import { isEnded } from '../run.ts';
import { startAgain } from '../start-again.ts';
import type { Intervention } from './interventions.ts';
import { WHICH, findIntervention, findInterventions } from './interventions.ts';
import { LIMITS, raiseLimits } from './raise-limits.ts';
import { refused, taken } from './signal.ts';
import type { Answer, SignalKind, SignalRequest } from './signal.ts';

/** Has a failed node's work done again; a run that has failed goes on from all the nodes that it failed at. */
export const retry: SignalKind = {
  description: 'Do the failed node again: {"node"? | "id"?, "limits"?}',
  properties: { ...WHICH, limits: LIMITS },
  reopens: true,
  handle: (draft, request) => (draft.run.status === 'failed' ? retryRun(draft, request) : retryNode(draft, request)),
};

function retryNode(draft: Draft, { payload, by }: SignalRequest): Answer {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refused(found);
  const refusal = raiseLimits(draft, payload['limits']);
  if (refusal) return refused(refusal);
  begin(draft, found, by.sub);
  return taken();
}

/** A run may have failed between two nodes: at an edge, or a limit. */
function retryRun(draft: Draft, { payload, by }: SignalRequest): Answer {
  const isNamed = payload['node'] !== undefined || payload['id'] !== undefined;
  const found = findInterventions(draft, payload);
  if ('code' in found && (isNamed || found.code !== 'NOT_ALLOWED_NOW')) return refused(found);
  const refusal = raiseLimits(draft, payload['limits']);
  if (refusal) return refused(refusal);
  const failed = 'code' in found ? [] : found;
  if (failed.length === 0) emit(draft, rootFrame(draft), { type: 'run.retried', by: by.sub });
  for (const one of failed) begin(draft, one, by.sub);
  if (isEnded(draft.run.status)) revive(draft);
  return taken();
}

function begin(draft: Draft, { of }: Intervention, by: string): void {
  emit(draft, of.frame, { type: 'run.retried', node: of.task.node, by });
  startAgain(of);
}
