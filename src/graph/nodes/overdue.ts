import { failedBecause } from './runner.ts';
import type { Progress } from './runner.ts';

/** The failure of a node whose deadline has passed. */
export function overdue({ type, deadline }: { readonly type: string; readonly deadline?: string }): Progress {
  return failedBecause('TIMEOUT', `The ${type}'s deadline of ${deadline} is over`);
}
