import { DefaultLogger } from '@temporalio/worker';
import type { LogEntry, RuntimeOptions } from '@temporalio/worker';
import { mapValues, truncate } from '../graph/values/index.ts';
import type { Logger } from './logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/** A failure of the SDK's core is printed with all that is in it. */
const MAX_TEXT = 2_000;

/** Lets Temporal's SDK write to our log, from warnings up. */
export function toTemporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta = {} }: LogEntry) =>
    logger[LEVELS[level]](mapValues(meta, shorten), message),
  );
}

function shorten(value: unknown): unknown {
  return typeof value === 'string' ? truncate(value, MAX_TEXT) : value;
}

/** The runtime of Temporal's SDK without its signal handlers. The SDK's core, too, writes its warnings to our log. */
export function temporalRuntime(logger: Logger): RuntimeOptions {
  return {
    logger: toTemporalLogger(logger),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  };
}
