import { Runtime } from '@temporalio/worker';
import type { Logger } from '../process/logger.ts';
import { temporalRuntime } from '../process/temporal-logger.ts';

let isInstalled = false;

/**
 * Installs Temporal's runtime without its signal handlers. A process has one runtime: only the first call has an
 * effect.
 * @param metricsPort as of `temporalRuntime`
 */
export function installTemporalRuntime(logger: Logger, metricsPort?: number): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install(temporalRuntime(logger, metricsPort));
}
