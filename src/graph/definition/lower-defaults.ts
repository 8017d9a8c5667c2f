import { toMs } from '../values/duration.ts';
import type { CatalogDefaults } from './catalog.ts';
import type { Ceilings } from './ceilings.ts';

/** Lowers an installation's defaults to its ceilings. */
export function lowerDefaults(defaults: CatalogDefaults, ceilings: Ceilings): CatalogDefaults {
  const { maxSteps, maxConcurrency, timeout, retry } = defaults;
  return {
    ...defaults,
    maxSteps: Math.min(maxSteps, ceilings.maxSteps),
    maxConcurrency: Math.min(maxConcurrency, ceilings.openCallsPerRun),
    timeout: toMs(timeout) > toMs(ceilings.timeout) ? ceilings.timeout : timeout,
    retry: { ...retry, maxAttempts: Math.min(retry.maxAttempts, ceilings.attempts) },
  };
}
