import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { LogEntry } from '@temporalio/worker';
import type { Logger } from '../logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

let isInstalled = false;

/** Has Temporal's SDK log where we do, and leave signals of the process to us. A process has one runtime: the first call counts. */
export function installTemporalRuntime(logger: Logger): void {
  if (isInstalled) return;
  isInstalled = true;
  const write = ({ level, message, meta }: LogEntry): void => logger[LEVELS[level]]({ ...meta }, message);
  Runtime.install({ logger: new DefaultLogger('WARN', write), shutdownSignals: [] });
}
