import type { Draft } from '../draft/draft.ts';
import { emitTask } from '../draft/frames.ts';
import { settleUnknownCompensation } from '../lifecycle/compensation.ts';
import { actorIn, refuseActingAs } from '../lifecycle/held-nodes.ts';
import { settlePerhapsMade } from '../lifecycle/perhaps-made.ts';
import { reopenRun } from '../lifecycle/reopen.ts';
import { deliverIntervention } from '../lifecycle/retry-task.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import { refuseShaping } from '../run/shapers.ts';
import { hasEnded } from '../run/status.ts';
import { skipTask } from '../superstep/end-by-person.ts';
import { GraphError } from '../values/errors.ts';
import { refuseBypass } from './checks/bypass-approval.ts';
import { INTERVENTION_FIELDS, findIntervention } from './checks/find-intervention.ts';
import type { OpenIntervention } from './checks/find-intervention.ts';
import { refuseCompensated } from './checks/refusals.ts';
import { refused, taken } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/** Completes a failed node with a person's output. */
export const skip: SignalKind = {
  description: 'Go on without the failed node, with an output of yours: {"node"? | "id"?, "output"}',
  properties: { ...INTERVENTION_FIELDS, output: true },
  alsoTaken: 'ended',
  handle(draft, request) {
    try {
      return skipNode(draft, request);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      const issues = [{ path: '/output', message: error.message }];
      const message = `The node can't go on with that output: ${error.message}`;
      return refused({ code: 'MALFORMED', message, issues, mayQuote: true });
    }
  },
  handleCompensation(draft, unknown, { payload, by }) {
    settleUnknownCompensation(draft, unknown, { result: payload['output'] ?? null, by: by.sub });
    return taken();
  },
};

function skipNode(draft: Draft, { payload, by }: SignalRequest): Handled {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refused(found);
  const { handle, call } = found;
  const refusal = refuseCompensated(draft) ?? refuseSkipping(draft, found, by) ?? refuseShaping(draft.run, by);
  if (refusal) return refused(refusal);
  const output = payload['output'] ?? null;
  if (call) emitTask(handle, { type: 'tool.skipped', tool: call.tool, result: output, by: by.sub });
  else skipTask(handle, output, by.sub);
  settlePerhapsMade(found);
  draft.addShaper(by);
  if (hasEnded(draft.run)) reopenRun(draft);
  if (call) deliverIntervention(handle, { kind: 'call.skipped', number: call.number, output });
  return taken();
}

function refuseSkipping(draft: Draft, { handle, call }: OpenIntervention, by: Principal): Refusal | null {
  const refusal = refuseActingAs(handle.frame.graph, handle.node.id, actorIn(draft, by));
  return refusal ?? (call ? null : refuseBypass(draft, by, [handle]));
}
