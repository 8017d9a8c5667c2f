import type { CallTask } from './call-task.ts';

/** @param scheduledAtMs the time when the server was told of the call. @returns milliseconds until the deadline of all attempts */
export function timeLeft({ request: { policy } }: CallTask, scheduledAtMs: number): number {
  return policy.deadlineMs === null ? Number.POSITIVE_INFINITY : scheduledAtMs + policy.deadlineMs - Date.now();
}
