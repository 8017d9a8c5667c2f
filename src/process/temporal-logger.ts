import { DefaultLogger } from '@temporalio/worker';
import type { LogEntry, RuntimeOptions } from '@temporalio/worker';
import type { Logger } from './logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Lets Temporal's SDK write to our log, from warnings up. */
export function toTemporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta = {} }: LogEntry) => logger[LEVELS[level]](meta, message));
}

/**
 * The runtime of Temporal's SDK without its signal handlers. The SDK's core, too, writes its warnings to our log.
 * @param metricsPort the port where the SDK shows its own metrics, in Prometheus' format; absent: it shows none
 */
export function temporalRuntime(logger: Logger, metricsPort?: number): RuntimeOptions {
  return {
    logger: toTemporalLogger(logger),
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort !== undefined && { metrics: { prometheus: toPrometheus(metricsPort) } }),
    },
    shutdownSignals: [],
  };
}

/** Names and units are those that Prometheus wants: seconds, `_total`. */
function toPrometheus(port: number) {
  return {
    bindAddress: `0.0.0.0:${port}`,
    useSecondsForDurations: true,
    unitSuffix: true,
    countersTotalSuffix: true,
  } as const;
}
