import type { CallEffect, CallRequest } from './effect.ts';

/** Whether a call may not be made again by itself. */
export function isUnsafe(request: CallRequest): boolean {
  return request.kind !== 'model' && request.effect === 'unsafe';
}

/** Whether nobody may take a call for over before it is known what it did. */
export function hasToBeKnown({ request, canBeUndone }: Pick<CallEffect, 'request' | 'canBeUndone'>): boolean {
  return canBeUndone === true || isUnsafe(request);
}
