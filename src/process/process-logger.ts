import { createLogger } from './logger.ts';
import type { Logger } from './logger.ts';

interface LogSettings {
  readonly LOG_LEVEL: string;
  /** The format of lines; by default readable text on a terminal, and JSON elsewhere. */
  readonly LOG_FORMAT?: 'json' | 'pretty' | undefined;
}

/** Opens the log of a process, which goes to standard output. */
export async function openProcessLogger({ LOG_LEVEL, LOG_FORMAT }: LogSettings): Promise<Logger> {
  const isTerminal = process.stdout.isTTY;
  if ((LOG_FORMAT ?? (isTerminal ? 'pretty' : 'json')) === 'json') return createLogger(LOG_LEVEL);
  const { default: pretty } = await import('pino-pretty');
  const lines = pretty({ colorize: isTerminal, singleLine: true, sync: true, translateTime: 'SYS:HH:MM:ss.l' });
  return createLogger(LOG_LEVEL, lines);
}
