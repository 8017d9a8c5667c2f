import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';
import type { CancelledFailure } from '@temporalio/workflow';
import type { Run } from '../graph/run.ts';
import { toCanceledFailure } from './failures.ts';

/**
 * Ends the workflow as canceled, though it was our own signal that asked for it: the SDK closes a workflow as canceled
 * only when the server requested that, which it notes in this flag.
 */
export function endAsCanceled(cancellation: Run['cancellation']): CancelledFailure {
  Object.assign(getActivator(), { cancelled: true });
  return toCanceledFailure(cancellation?.by ?? 'unknown', cancellation?.reason ?? null);
}
