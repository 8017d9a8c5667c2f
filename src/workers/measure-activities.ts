import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { durations } from '../process/durations.ts';

/** Measures each attempt of an activity, by its name. */
export const measureActivities: ActivityInterceptorsFactory = ({ info: { activityType } }) => ({
  inbound: {
    async execute(input, next) {
      const start = performance.now();
      const record = (outcome: 'completed' | 'failed'): void =>
        durations.activity.record((performance.now() - start) / 1_000, { activity: activityType, outcome });
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
