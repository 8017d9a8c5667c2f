import { pino } from 'pino';
import type { Logger } from 'pino';

export type { Logger };

/** Writes JSON lines. @param file the file to write to; the default is standard output */
export function createLogger(level: string, file?: string): Logger {
  const options = {
    level,
    base: null,
    redact: ['*.authorization', '*.apiKey', '*.token', 'headers.authorization'],
    serializers: { error: pino.stdSerializers.err },
  };
  return file === undefined ? pino(options) : pino(options, pino.destination({ dest: file, mkdir: true, sync: false }));
}
