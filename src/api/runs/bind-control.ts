import { NOT_BEGUN } from '../../graph/journal/index.ts';
import type { RunView } from '../../graph/journal/index.ts';
import { isEnded, mayMeanIntervention, namesOf, refuseSeveral } from '../../graph/run/index.ts';
import type { Refusal } from '../../graph/run/index.ts';
import type { JsonObject } from '../../graph/values/index.ts';
import type { RunRecord } from '../../store/runs.ts';

/** A control bound to its run, or the reason why it can't be sent. */
export interface BoundControl {
  readonly payload: JsonObject;
  readonly refusal: Refusal | null;
}

/**
 * Binds a control to what was read of its run: the pause that it ends, the failure that it settles or the checkpoint
 * that it leaves. The run refuses the control if that has changed since, so only one of two concurrent controls takes
 * effect.
 */
export function bindControl({ view }: Pick<RunRecord, 'view'>, name: string, payload: JsonObject): BoundControl {
  const bind = BINDINGS[name];
  return bind ? bind(view ?? NOT_BEGUN, payload) : { payload, refusal: null };
}

type BindToRun = (read: RunView, payload: JsonObject) => BoundControl;

/**
 * Controls that refer to a position of their run. External events are not bound: they go to whatever waits for their
 * name, now or later.
 */
const BINDINGS: Readonly<Record<string, BindToRun>> = {
  resume: (read, payload) => ({
    payload: { ...checkpointField(read), ...payload, since: read.pausedAt ?? null },
    refusal: null,
  }),
  replan: (read, payload) => ({ payload: { ...checkpointField(read), ...payload }, refusal: null }),
  retry: bindSettlement,
  skip: bindSettlement,
  fail: bindSettlement,
};

function checkpointField({ checkpointId }: RunView): JsonObject {
  return checkpointId === null ? {} : { checkpoint: checkpointId };
}

/**
 * The settlement of a failed run is bound to the time of the failure; that of an intervention is bound to the failure
 * that it is about.
 */
function bindSettlement({ status, endedAt, waitingFor }: RunView, payload: JsonObject): BoundControl {
  if (isEnded(status)) return { payload: { ...payload, since: endedAt }, refusal: null };
  const asked = waitingFor
    .filter((one) => one.kind === 'intervention')
    .filter(({ node, id }) => mayMeanIntervention(payload, node, id));
  const [only, ...others] = asked;
  if (others.length > 0) return { payload, refusal: refuseSeveral(namesOf(asked)) };
  return { payload: { ...payload, ...(only && { id: only.id }), since: only?.since ?? null }, refusal: null };
}
