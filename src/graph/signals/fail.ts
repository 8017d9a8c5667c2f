import { settleUnknownCompensation } from '../lifecycle/compensation.ts';
import { rememberPerhapsMade, settlePerhapsMade } from '../lifecycle/perhaps-made.ts';
import { giveUpTask } from '../superstep/end-by-person.ts';
import type { RunError } from '../values/errors.ts';
import type { JsonObject } from '../values/json.ts';
import { INTERVENTION_FIELDS, findIntervention } from './checks/find-intervention.ts';
import { lostCallsOf } from './checks/lost-calls.ts';
import { REASON, refused, taken, textOf } from './signal.ts';
import type { SignalKind } from './signal.ts';

/** Fails the run at a node that waits for an intervention. */
export const fail: SignalKind = {
  description: 'Give the failed node up, the run fails: {"node"? | "id"?, "reason"?}',
  properties: { ...INTERVENTION_FIELDS, reason: REASON },
  handle(draft, { payload, by }) {
    const found = findIntervention(draft, payload);
    if ('code' in found) return refused(found);
    const { handle, failure, saved } = found;
    const error = toGivenUpError(failure.error, payload, by.sub);
    const lost = lostCallsOf(draft, found);
    settlePerhapsMade(found);
    // The person has seen one of them.
    if (lost.length > 1) rememberPerhapsMade(draft, lost);
    giveUpTask(handle, { failure: { ...failure, error }, saved, by: by.sub });
    return taken();
  },
  handleCompensation(draft, unknown, { payload, by }) {
    settleUnknownCompensation(draft, unknown, { error: toGivenUpError(unknown.error, payload, by.sub), by: by.sub });
    return taken();
  },
};

function toGivenUpError(error: RunError, payload: JsonObject, by: string): RunError {
  const reason = textOf(payload, 'reason');
  return { ...error, message: `${error.message} (given up by ${by}${reason === undefined ? '' : `: ${reason}`})` };
}
