import type { CallEffect } from '../../graph/run/index.ts';

/** A call that waits for its turn. */
export interface WaitingCall {
  readonly effect: CallEffect;
}

/** Takes all waiting calls, or the one with this key, out of their queue. @returns the ones that are out */
export function takeWaiting<T extends WaitingCall>(waiting: T[], key?: string): readonly T[] {
  const all = waiting.splice(0);
  waiting.push(...all.filter(({ effect }) => !matchesKey(effect, key)));
  return all.filter(({ effect }) => matchesKey(effect, key));
}

/** True if the call has this key; without a key, true for every call. */
export function matchesKey(call: CallEffect, key: string | undefined): boolean {
  return key === undefined || call.key === key;
}
