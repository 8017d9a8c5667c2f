import { installRuntime } from '../process/temporal-logger.ts';
import type { Logger } from '../process/logger.ts';

let installing: Promise<void> | null = null;

/**
 * Installs Temporal's runtime without its signal handlers. A process has one runtime: only the first call has an
 * effect.
 * @param metricsPort as of `installRuntime`
 */
export async function installTemporalRuntime(logger: Logger, metricsPort?: number): Promise<void> {
  await (installing ??= installRuntime(logger, metricsPort));
}
