import { getHeapStatistics } from 'node:v8';
import type { ProcessLimits } from './workflow-process/start-workflow-process.ts';

const MIB = 1_048_576;

/** CPU time. What a run does at once is metered: it takes a second or two, with values of some megabytes more. */
const TIME_LIMIT_MS = 8_000;

/**
 * The limits of the process that runs workflow code.
 * @param heapLimit of this process, in bytes; that process may use as much
 */
export function processLimits(heapLimit: number = getHeapStatistics().heap_size_limit): ProcessLimits {
  return { heapMib: Math.floor(heapLimit / MIB), timeLimitMs: TIME_LIMIT_MS };
}
