import { Runtime } from '@temporalio/worker';
import type { Logger } from '../process/logger.ts';
import { toTemporalLogger } from '../process/temporal-logger.ts';

let isInstalled = false;

/** Leaves the signals of the process to us. A process has one runtime: the first call counts. */
export function installTemporalRuntime(logger: Logger): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({ logger: toTemporalLogger(logger), shutdownSignals: [] });
}
