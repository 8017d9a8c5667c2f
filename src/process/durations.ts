import { meter } from './meter.ts';

/** Requests and calls: from milliseconds to a minute. */
const SHORT = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Runs: some wait for people. */
const LONG = [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 3_600, 14_400, 86_400, 604_800];

function createDuration(name: string, description: string, bounds: readonly number[]) {
  return meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: [...bounds] } });
}

/** Durations of what this process does, in seconds. */
export const durations = {
  request: createDuration('http.server.request.duration', 'Requests to the API', SHORT),
  activity: createDuration('holdfast.activity.duration', 'Attempts of activities at this worker, such as calls', SHORT),
  run: createDuration(
    'holdfast.run.duration',
    'Runs, from the request that starts them to their end, by outcome',
    LONG,
  ),
} as const;
