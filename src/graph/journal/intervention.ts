import type { ShownCall } from '../run/scope.ts';
import type { RunError } from '../values/errors.ts';
import { remainingBytes } from '../values/json-size.ts';
import type { Json } from '../values/json.ts';

/** The facts that a person needs to settle a failed node or call. */
export interface Intervention {
  readonly kind: 'intervention';
  readonly id: string;
  readonly node: string;
  readonly index?: number;
  /** RFC 3339. */
  readonly since: string;
  /** Absent: no tool was called. */
  readonly tool?: string;
  /** Of the failed call; `null` if there was none, or if they are large. The event `tool.requested` has them whole. */
  readonly args: Json;
  /** Of the failed call; `null` if there was none. */
  readonly idempotencyKey: string | null;
  readonly error: RunError;
  readonly choices: readonly Choice[];
}

/** A control that settles an intervention, and what it does. */
export interface Choice {
  readonly action: 'retry' | 'skip' | 'fail';
  readonly effect: string;
}

/** The part of a run that waits for a person. */
export type Settled = 'node' | 'call' | 'compensation';

/** A failure that waits for a person. */
interface Waiting extends Pick<Intervention, 'id' | 'node' | 'index' | 'since' | 'error'> {
  readonly of: Settled;
  readonly call: ShownCall | null;
}

/** Limit in bytes of the arguments shown, as each batch of the journal carries them again. */
const MAX_ARGS_BYTES = 16_384;

export function toIntervention({ of, call, ...shown }: Waiting): Intervention {
  const { key = null, tool, args = null } = call ?? {};
  return {
    kind: 'intervention',
    ...shown,
    ...(tool !== undefined && { tool }),
    args: remainingBytes(MAX_ARGS_BYTES, args) < 0 ? null : args,
    idempotencyKey: key,
    choices: choicesOf(of, { isUnknown: shown.error.code === 'UNKNOWN_OUTCOME', hasCall: call !== null }),
  };
}

function choicesOf(of: Settled, { isUnknown, hasCall }: { isUnknown: boolean; hasCall: boolean }): readonly Choice[] {
  const retried = of === 'node' && !hasCall ? 'Runs the node again; finished work in it is kept.' : RETRY;
  return [
    { action: 'retry', effect: isUnknown && hasCall ? RETRY_UNKNOWN : retried },
    { action: 'skip', effect: SKIP[of] },
    { action: 'fail', effect: FAIL[of] },
  ];
}

const RETRY = 'Makes the call again.';
const RETRY_UNKNOWN = 'Makes the call again under the same key; it may have been made before.';
const SKIP: Readonly<Record<Settled, string>> = {
  node: 'Goes on with the output that you give, as if the node had returned it. Nothing is called.',
  call: 'Goes on with the output that you give, as if the tool had returned it. Nothing is called.',
  compensation: 'Counts the call as undone, with the output that you give. Nothing is called.',
};
const FAIL: Readonly<Record<Settled, string>> = {
  node: 'Fails the node, and the run with it.',
  call: 'Fails the node that made the call, and the run with it.',
  compensation: 'Counts the call as not undone; the run ends with that in its error.',
};
