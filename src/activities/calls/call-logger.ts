import type { CallTask } from './call-task.ts';
import { calleeName, parseCallKey } from '../../graph/run/index.ts';

/** Writes lines of the log; members of `fields` become members of the line. */
export interface CallLogger {
  readonly debug: LogLine;
  readonly info: LogLine;
  readonly warn: LogLine;
  readonly error: LogLine;
}

export interface LogLine {
  (message: string): void;
  (fields: object, message?: string): void;
}

/** The log of a process. */
export interface ParentLogger {
  child(fields: object): CallLogger;
}

const logNothing = (): void => undefined;
const SILENT: CallLogger = { debug: logNothing, info: logNothing, warn: logNothing, error: logNothing };

/** A log that discards all lines. */
export const NO_LOG: ParentLogger = { child: () => SILENT };

/** Opens the log of an attempt: each line names its run, node and call. */
export function openCallLogger(log: ParentLogger, call: NamedCall, attempt: number): CallLogger {
  return log.child({ ...callLogFields(call), attempt });
}

/** Depth of objects in a field; deeper levels are omitted. */
const MAX_FIELD_LEVELS = 4;

/** Removes secrets from all texts of log lines. */
export function withoutSecrets(logger: CallLogger, redact: (text: string) => string): CallLogger {
  const lineOf = (level: keyof CallLogger): LogLine => {
    return (first: string | object, message?: string): void => {
      if (typeof first === 'string') logger[level](redact(first));
      else logger[level](redactFields(first, redact), message === undefined ? undefined : redact(message));
    };
  };
  return { debug: lineOf('debug'), info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') };
}

const NO_ERROR = { name: '', message: '', stack: undefined };

function redactFields(fields: object, redact: (text: string) => string, levels = MAX_FIELD_LEVELS): object {
  const change = (value: unknown): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    return levels === 0 ? '…' : redactFields(value, redact, levels - 1);
  };
  if (Array.isArray(fields)) return fields.map(change);
  const { name: type, message, stack } = fields instanceof Error ? fields : NO_ERROR;
  const own = Object.entries({ ...(stack !== undefined && { type, message, stack }), ...fields });
  return Object.fromEntries(own.map(([key, value]) => [redact(key), change(value)]));
}

/** The parts of a call that log lines name. */
export type NamedCall = Pick<CallTask, 'runId' | 'tenantId' | 'graph' | 'node' | 'index' | 'key' | 'request'>;

/** The fields of a log line that identify run, node and call. */
export function callLogFields({ runId, tenantId, graph, node, index, key, request }: NamedCall) {
  const position = parseCallKey(key);
  return {
    run: runId,
    tenant: tenantId,
    graph,
    node,
    ...(position && { visit: position.visit }),
    ...(index !== undefined && { index }),
    called: calleeName(request),
    key,
  };
}
