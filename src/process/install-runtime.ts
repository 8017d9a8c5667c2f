import { Runtime } from '@temporalio/worker';
import { atPort } from './at-port.ts';
import type { Logger } from './logger.ts';
import { temporalRuntime } from './temporal-logger.ts';

/**
 * Installs the runtime of Temporal's SDK, which a process has once.
 * @param metricsPort as of `temporalRuntime`: `HOLDFAST_TEMPORAL_METRICS_PORT`
 * @throws SetupError when the port can't be had
 */
export async function installRuntime(logger: Logger, metricsPort?: number): Promise<void> {
  const install = (): void => void Runtime.install(temporalRuntime(logger, metricsPort));
  if (metricsPort === undefined) install();
  else await atPort({ variable: 'HOLDFAST_TEMPORAL_METRICS_PORT', port: metricsPort }, install);
}
