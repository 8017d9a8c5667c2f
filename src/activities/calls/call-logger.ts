import type { CallTask } from './call-task.ts';
import { calleeName, parseCallKey } from '../../graph/run/index.ts';
import { withoutText } from '../../graph/values/index.ts';

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

/**
 * Opens the log of an attempt: each line names its run, node and call. Errors are written with their texts and members,
 * unless these may quote redacted values.
 */
export function openCallLogger(
  log: ParentLogger,
  call: NamedCall & Pick<CallTask, 'hidesErrors'>,
  attempt: number,
): CallLogger {
  const logger = log.child({ ...callLogFields(call), attempt });
  return call.hidesErrors ? withoutTextsOfErrors(logger) : withTextsOfErrors(logger);
}

/** Removes secrets from all texts of log lines. Errors stay errors, so that the log decides what it has of them. */
export function withoutSecrets(logger: CallLogger, redact: (text: string) => string): CallLogger {
  return changeLines(logger, {
    text: redact,
    error(error, own) {
      const { message, stack = '' } = error;
      const copy: Error = Object.create(Object.getPrototypeOf(error));
      return Object.assign(copy, own, { type: error.name, message: redact(message), stack: redact(stack) });
    },
  });
}

/** The log of a process keeps some texts of errors, such as paths of files, which may quote redacted values. */
function withoutTextsOfErrors(logger: CallLogger): CallLogger {
  return changeLines(logger, {
    text: (text) => text,
    error: (error, own) => withoutText(error, 'code' in own ? own.code : null),
  });
}

/** The log of a process hides the texts of errors, about which it knows nothing. As plain objects they are kept. */
function withTextsOfErrors(logger: CallLogger): CallLogger {
  return changeLines(logger, {
    text: (text) => text,
    error: ({ name: type, message, stack }, own) => ({ type, message, stack, ...own }),
  });
}

/** Changes the texts and the errors in log lines. */
interface LineChange {
  readonly text: (text: string) => string;
  /** @param own the enumerable members of the error, changed */
  readonly error: (error: Error, own: object) => object;
}

function changeLines(logger: CallLogger, change: LineChange): CallLogger {
  const lineOf = (level: keyof CallLogger): LogLine => {
    return (first: string | object, message?: string): void => {
      if (typeof first === 'string') return logger[level](change.text(first));
      const fields = first instanceof Error ? { error: first } : first;
      logger[level](changeFields(fields, change), message === undefined ? undefined : change.text(message));
    };
  };
  return { debug: lineOf('debug'), info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') };
}

/** Depth of objects in a field; deeper levels are omitted. */
const MAX_LEVELS = 4;

function changeFields(fields: object, change: LineChange, levels = MAX_LEVELS): object {
  const changed = (value: unknown): unknown => {
    if (typeof value === 'string') return change.text(value);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    return levels === 0 ? '…' : changeFields(value, change, levels - 1);
  };
  if (Array.isArray(fields)) return fields.map(changed);
  const own = Object.fromEntries(Object.entries(fields).map(([key, value]) => [change.text(key), changed(value)]));
  return fields instanceof Error ? change.error(fields, own) : own;
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
