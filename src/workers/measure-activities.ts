import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { measure } from '../telemetry/metrics/meter.ts';

/** Measures each attempt of an activity, by its name. */
export const measureActivities: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    async execute(input, next) {
      const { activityType: activity, currentAttemptScheduledTimestampMs, isLocal } = info;
      const start = performance.now();
      const record = (outcome: 'completed' | 'failed'): void =>
        measure('holdfast.activity.duration', (performance.now() - start) / 1_000, { activity, outcome });
      // A local activity does not wait for a worker.
      if (!isLocal) {
        const waitedMs = Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
        measure('holdfast.activity.queue_time', waitedMs / 1_000, { activity });
      }
      try {
        const result = await next(input);
        record('completed');
        return result;
      } catch (error) {
        record('failed');
        throw error;
      }
    },
  },
});
