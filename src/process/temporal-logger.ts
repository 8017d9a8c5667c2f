import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { LogEntry, RuntimeOptions } from '@temporalio/worker';
import { atPort } from './listen.ts';
import type { Logger } from './logger.ts';

const LOG_LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Forwards warnings and errors of Temporal's SDK to the process's log. */
export function toTemporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta = {} }: LogEntry) =>
    logger[LOG_LEVELS[level]](meta, message),
  );
}

/**
 * Returns the options of the SDK's runtime. It has no signal handlers, and forwards warnings of the SDK's core to the log.
 * @param metricsPort the port on which the SDK serves its own metrics in Prometheus' format; it serves none by default
 */
function temporalRuntime(logger: Logger, metricsPort?: number): RuntimeOptions {
  return {
    logger: toTemporalLogger(logger),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort !== undefined && { metrics: { prometheus: prometheusOptions(metricsPort) } }),
    },
    shutdownSignals: [],
  };
}

/** Names and units follow the conventions of Prometheus: seconds, `_total`. */
function prometheusOptions(port: number) {
  return {
    bindAddress: `0.0.0.0:${port}`,
    useSecondsForDurations: true,
    unitSuffix: true,
    countersTotalSuffix: true,
  } as const;
}

/**
 * Installs the runtime of Temporal's SDK; a process has only one.
 * @param metricsPort for Temporal's own metrics: `HOLDFAST_TEMPORAL_METRICS_PORT`
 * @throws SetupError when the port is unavailable
 */
export async function installRuntime(logger: Logger, metricsPort?: number): Promise<void> {
  const install = (): void => void Runtime.install(temporalRuntime(logger, metricsPort));
  if (metricsPort === undefined) install();
  else await atPort({ variable: 'HOLDFAST_TEMPORAL_METRICS_PORT', port: metricsPort }, install);
}
