import { isJsonObject } from '../values/json.ts';
import type { CallRequest, CallEffect, CallReply } from './effect.ts';
import type { OpenCall } from './run.ts';

/** What a request calls. */
export function calledBy(request: CallRequest): OpenCall['called'] {
  switch (request.kind) {
    case 'model':
      return { kind: 'model', name: request.model };
    case 'tool':
      return { kind: 'tool', name: request.tool };
    case 'function':
      return { kind: 'function', name: request.function };
    case 'node':
      return { kind: 'node', name: request.nodeType };
  }
}

/** Whether a call may not be made again by itself. */
export function isUnsafe(request: CallRequest): boolean {
  return request.kind !== 'model' && request.effect === 'unsafe';
}

/** Whether nobody may take a call for over before it is known what it did. */
export function mustReconcile({ request, isCompensable }: Pick<CallEffect, 'request' | 'isCompensable'>): boolean {
  return isCompensable === true || isUnsafe(request);
}

/** True for what the ledger has recorded as a reply. */
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
