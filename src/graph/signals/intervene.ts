import type { Draft } from '../superstep/draft.ts';
import { GraphError } from '../values/errors.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { refuseBypass, refuseSpeakingFor } from './bypass-approval.ts';
import { refuseUndone } from './refusals.ts';
import { reopenRun } from '../lifecycle/reopen.ts';
import { hasEnded } from '../run/status.ts';
import type { Principal } from '../run/principal.ts';
import type { Refusal } from '../run/refusal.ts';
import { deliverIntervention } from '../lifecycle/retry-task.ts';
import { giveUpTask, skipTask } from '../superstep/run-task.ts';
import { emitTask } from '../superstep/frames.ts';
import { settleUnknownCompensation } from '../lifecycle/compensation.ts';
import { WHICH, findIntervention } from './interventions.ts';
import type { Intervention } from './interventions.ts';
import { refused, taken, textOf } from './signal.ts';
import type { Handled, SignalKind, SignalRequest } from './signal.ts';

/** Completes a failed node with a person's output. */
export const skip: SignalKind = {
  description: 'Go on without the failed node, with an output of yours: {"node"? | "id"?, "output"}',
  properties: { ...WHICH, output: true },
  reopens: true,
  handle(draft, request) {
    try {
      return skipNode(draft, request);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      const issues = [{ path: '/output', message: error.message }];
      return refused({ code: 'MALFORMED', message: `The node can't go on with that output: ${error.message}`, issues });
    }
  },
  handleCompensation(draft, doubt, { payload, by }) {
    settleUnknownCompensation(draft, doubt, { result: payload['output'] ?? null, by: by.sub });
    return taken();
  },
};

function skipNode(draft: Draft, { payload, by }: SignalRequest): Handled {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refused(found);
  const { handle, call } = found;
  const refusal = refuseUndone(draft) ?? refuseSkipping(draft, found, by);
  if (refusal) return refused(refusal);
  const output = payload['output'] ?? null;
  if (call) emitTask(handle, { type: 'tool.skipped', tool: call.tool, result: output, by: by.sub });
  else skipTask(handle, output, by.sub);
  if (hasEnded(draft.run)) reopenRun(draft);
  if (call) deliverIntervention(handle, { kind: 'call.skipped', number: call.number, output });
  return taken();
}

function refuseSkipping(draft: Draft, { handle, call }: Intervention, by: Principal): Refusal | null {
  const refusal = refuseSpeakingFor(draft, handle.frame.graph, { node: handle.node.id, by });
  return refusal ?? (call ? null : refuseBypass(draft, by, [handle]));
}

/** Fails the run at a node that waits for an intervention. */
export const fail: SignalKind = {
  description: 'Give the failed node up, the run fails: {"node"? | "id"?, "reason"?}',
  properties: { ...WHICH, reason: { type: 'string' } },
  handle(draft, { payload, by }) {
    const found = findIntervention(draft, payload);
    if ('code' in found) return refused(found);
    const { handle, failure, saved } = found;
    const error = givenUp(failure.error, payload, by.sub);
    giveUpTask(handle, { failure: { ...failure, error }, saved, by: by.sub });
    return taken();
  },
  handleCompensation(draft, doubt, { payload, by }) {
    settleUnknownCompensation(draft, doubt, { error: givenUp(doubt.error, payload, by.sub), by: by.sub });
    return taken();
  },
};

function givenUp(error: RunError, payload: JsonObject, by: string): RunError {
  const reason = textOf(payload, 'reason');
  return { ...error, message: `${error.message} (given up by ${by}${reason === undefined ? '' : `: ${reason}`})` };
}
