import { isShortAndIdempotent } from '../definition/call-policy.ts';
import { isJsonObject } from '../values/json.ts';
import type { CallRequest, CallEffect, CallReply, LocalEffect } from './effect.ts';
import type { OpenCall, UnknownOutcomeRule } from './run.ts';

/** Returns the kind and name of the called model, tool, function or node type, or of the tool whose schema reads arguments. */
export function calleeOf(request: CallRequest): OpenCall['called'] {
  switch (request.kind) {
    case 'model':
      return { kind: 'model', name: request.model };
    case 'tool':
      return { kind: 'tool', name: request.tool };
    case 'function':
      return { kind: 'function', name: request.function };
    case 'node':
      return { kind: 'node', name: request.nodeType };
    case 'reading':
      return { kind: 'reading', name: request.tool };
  }
}

/** Returns the name of a callee with its kind, such as `tool:pay`. */
export function calleeName(request: CallRequest): string {
  const { kind, name } = calleeOf(request);
  return `${kind}:${name}`;
}

/** True if a call must not be repeated automatically. */
export function isUnsafeCall(request: CallRequest): boolean {
  return request.kind !== 'model' && request.effect === 'unsafe';
}

type SafetyTerms = Pick<CallEffect, 'request' | 'isCompensable'>;

/**
 * True if a person must settle a canceled call with an unknown outcome, because the run can neither repeat nor
 * compensate it.
 */
export function needsSettlement({ request, isCompensable }: SafetyTerms): boolean {
  return isCompensable === true || isUnsafeCall(request);
}

/**
 * True if the run is accountable for a call: it has an effect outside, by its safety or because it is compensated. If
 * such a call is canceled, or the server gives it up, it is reconciled with the ledger before the run continues or
 * ends.
 */
export function isAccountable({ request, isCompensable }: SafetyTerms): boolean {
  return isCompensable === true || (request.kind !== 'model' && request.effect !== 'idempotent');
}

/** Returns the rule for a call whose outcome stays unknown; `null` if the run may simply repeat it. */
export function ruleIfUnknown(call: SafetyTerms): UnknownOutcomeRule | null {
  if (isUnsafeCall(call.request)) return 'ask';
  return isAccountable(call) ? 'name' : null;
}

/**
 * True if a call runs in the worker of the workflow task. It must be short and idempotent, and the run not accountable
 * for it.
 */
export function isLocalCall(call: CallEffect): call is LocalEffect {
  const { request } = call;
  if (request.kind === 'model' || request.execution !== 'local' || isAccountable(call)) return false;
  // The worker of the workflow task does not poll the task queues that tools name.
  if ('taskQueue' in request && request.taskQueue !== undefined) return false;
  return isShortAndIdempotent(request.effect, request.policy.timeoutMs);
}

/** True if a ledger value is a call's reply. */
export function isCallReply(value: unknown): value is CallReply {
  if (!isJsonObject(value)) return false;
  switch (value['kind']) {
    case 'value':
      return value['value'] !== undefined;
    case 'model':
      return typeof value['text'] === 'string';
    default:
      return value['kind'] === 'overflow' && typeof value['messages'] === 'number';
  }
}
