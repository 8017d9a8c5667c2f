import type { Logger } from '../../process/logger.ts';
import type { LiveCounts } from '../../store/tenant-use.ts';
import { measure } from './meter.ts';

/** Any client can request metrics, so the database is queried at most this often. */
export const COUNT_EVERY_MS = 15_000;

const STATUSES = ['queued', 'running', 'waiting', 'paused'] as const;

interface LiveCountsSource {
  readonly store: { readonly countLive: () => Promise<LiveCounts> };
  readonly logger: Logger;
}

/**
 * Measures the current counts with one statement, at most once per interval.
 * @returns a function that does not fail: the other metrics of the process must be readable without the database
 */
export function createLiveMeasure({ store, logger }: LiveCountsSource): () => Promise<void> {
  let countedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - countedAt < COUNT_EVERY_MS) return;
    countedAt = performance.now();
    try {
      measureCounts(await store.countLive());
    } catch (error) {
      logger.warn({ error }, 'some metrics could not be counted; they stay as they were counted last');
    }
  };
}

function measureCounts(counts: LiveCounts): void {
  for (const status of STATUSES) measure('holdfast.runs.active', counts.runs[status] ?? 0, { status });
  measure('holdfast.approvals.pending', counts.pendingApprovals, {});
  measure('holdfast.approvals.oldest_age', counts.oldestApprovalSeconds, {});
  measure('holdfast.calls.unknown', counts.unknownOutcomes, {});
  measure('holdfast.starts.pending', counts.pendingStarts, {});
  measure('holdfast.starts.oldest_age', counts.oldestStartSeconds, {});
}
