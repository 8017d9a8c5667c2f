import type { Draft } from '../draft.ts';
import { GraphError } from '../errors.ts';
import { revive } from '../revive.ts';
import { isEnded } from '../run.ts';
import { failTask, skipTask } from '../task-progress.ts';
import { WHICH, findIntervention } from './interventions.ts';
import { refuseSpeakingFor } from './pass-approval.ts';
import { refuseUndone } from './refusals.ts';
import { refused, taken, textOf } from './signal.ts';
import type { Answer, SignalKind, SignalRequest } from './signal.ts';

/** Goes on with an output that a person gives instead of the node's own. */
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
};

function skipNode(draft: Draft, { payload, by }: SignalRequest): Answer {
  const found = findIntervention(draft, payload);
  if ('code' in found) return refused(found);
  const { of } = found;
  const refusal = refuseUndone(draft) ?? refuseSpeakingFor(draft, of.frame.graph, { node: of.node.id, by });
  if (refusal) return refused(refusal);
  skipTask(of, payload['output'] ?? null, by.sub);
  if (isEnded(draft.run.status)) revive(draft);
  return taken();
}

/** Gives the node up: the run fails. */
export const fail: SignalKind = {
  description: 'Give the failed node up, the run fails: {"node"? | "id"?, "reason"?}',
  properties: { ...WHICH, reason: { type: 'string' } },
  handle(draft, { payload, by }) {
    const found = findIntervention(draft, payload);
    if ('code' in found) return refused(found);
    const { of, failure, inside } = found;
    const reason = textOf(payload, 'reason');
    const message = `${failure.error.message} (given up by ${by.sub}${reason === undefined ? '' : `: ${reason}`})`;
    failTask(of, { failure: { ...failure, error: { ...failure.error, message } }, inside });
    return taken();
  },
};
