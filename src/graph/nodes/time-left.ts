import { GraphError } from '../errors.ts';

/** A deadline, and how much of it is used up. */
interface Deadline {
  /** `null`: there is none. */
  readonly deadlineMs: number | null;
  readonly usedMs: number;
}

/**
 * Milliseconds that are left of a deadline for all calls of a node together; `null`: there is none.
 * @throws GraphError `TIMEOUT` when it is over
 */
export function timeLeft(whose: 'agent' | 'node', { deadlineMs, usedMs }: Deadline): number | null {
  if (deadlineMs === null) return null;
  const left = deadlineMs - usedMs;
  if (left > 0) return left;
  throw new GraphError('TIMEOUT', `The ${whose}'s deadline of ${deadlineMs} ms is over`);
}
