import { DefaultLogger } from '@temporalio/worker';
import type { LogEntry, RuntimeOptions } from '@temporalio/worker';
import type { Logger } from './logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** Lets Temporal's SDK write to our log, from warnings up. */
export function toTemporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta = {} }: LogEntry) => logger[LEVELS[level]](meta, message));
}

/** The runtime of Temporal's SDK without its signal handlers. The SDK's core, too, writes its warnings to our log. */
export function temporalRuntime(logger: Logger): RuntimeOptions {
  return {
    logger: toTemporalLogger(logger),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  };
}
