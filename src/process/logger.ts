import { mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { types } from 'node:util';
import { pino } from 'pino';
import type { DestinationStream, Logger, LoggerOptions } from 'pino';
import { isSpanContextValid, trace } from '@opentelemetry/api';
import { mapValues, messageOf, truncate } from '../graph/values/index.ts';
import { toLoggedError } from './logged-error.ts';
import { SetupError } from './setup-error.ts';

export type { Logger };

/**
 * Writes JSON lines. Long texts are truncated. Of errors, only texts without values are written.
 * @param to a file or a stream; standard output by default
 * @throws SetupError when the file can't be opened
 */
export function createLogger(level: string, to?: string | DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    mixin: traceFields,
    redact: ['*.authorization', '*.apiKey', '*.token', 'headers.authorization'],
    serializers: { error: serializeError, err: serializeError },
    formatters: { log: (fields) => mapValues(fields, shortenText) },
    hooks: {
      logMethod([first, message, ...rest], write) {
        const fields = first instanceof Error ? { error: first } : shortenText(first);
        const text = first instanceof Error ? (message ?? first.constructor.name) : message;
        write.apply(this, [fields, text?.slice(0, MAX_LOGGED_TEXT), ...rest]);
      },
    },
  };
  if (to === undefined) return pino(options);
  return pino(options, typeof to === 'string' ? pino.destination({ dest: openLogFile(to), sync: false }) : to);
}

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

/** The longest text in characters. The SDK's core logs a failure with its whole content. */
const MAX_LOGGED_TEXT = 2_000;
/** The depth of objects that describe an error; deeper ones are omitted. */
const MAX_LEVELS = 4;

/** Plain objects describe an error whose run is known, without what is redacted of it. */
function serializeError(error: unknown): unknown {
  const isDescription = typeof error === 'object' && error !== null && !types.isNativeError(error);
  return isDescription && !(error instanceof Error) ? shorten(error, MAX_LEVELS) : toLoggedError(error);
}

function shortenText(value: unknown): unknown {
  return typeof value === 'string' ? truncate(value, MAX_LOGGED_TEXT) : value;
}

function shorten(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return shortenText(value);
  return levels === 0 ? '…' : mapValues({ ...value }, (member) => shorten(member, levels - 1));
}

/** Opens a log file for appending and creates its folder. @returns its descriptor @throws SetupError */
export function openLogFile(file: string): number {
  try {
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'a');
  } catch (error) {
    throw new SetupError(`The log can't be written to ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the fields of a log line that name the active span (OpenTelemetry, trace context in non-OTLP logs). */
function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? { trace_id: active.traceId, span_id: active.spanId } : {};
}
