import { types } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { SdkComponent } from '@temporalio/common';
import type { LogEntry, RuntimeOptions } from '@temporalio/worker';
import { withoutText } from '../graph/values/index.ts';
import type { ErrorWithoutText } from '../graph/values/index.ts';
import { atPort } from './listen.ts';
import type { Logger } from './logger.ts';

const LOG_LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * Forwards warnings and errors of Temporal's SDK to the process's log, with the lines that activities write. Lines that
 * the SDK writes itself may quote failures and payloads, so only what identifies the execution is kept of them.
 */
export function toTemporalLogger(logger: Logger): DefaultLogger {
  return new DefaultLogger('WARN', ({ level, message, meta = {} }: LogEntry) => {
    const { fields, text } = isOfSdk(meta) ? withoutValues(meta, message) : { fields: meta, text: message };
    logger[LOG_LEVELS[level]](fields, text);
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** Activities write lines of this program. Lines without fields are about bundles and options. */
function isOfSdk(meta: Fields): boolean {
  return meta['sdkComponent'] !== SdkComponent.activity && Object.keys(meta).length > 0;
}

/** The SDK's fields without values, by the names in its JavaScript and in its core. */
const FIELDS: ReadonlySet<string> = new Set([
  'activityId',
  'activityType',
  'attempt',
  'durationMs',
  'isLocal',
  'namespace',
  'runId',
  'run_id',
  'sdkComponent',
  'taskQueue',
  'task_queue',
  'target',
  'workflowId',
  'workflow_id',
  'workflowRunId',
  'workflowType',
  'workflow_type',
]);

/** What the core says of a server that can't be reached, or refuses the worker. */
const CONNECTION_ERROR =
  /(?:code|status): (?:'The service is currently unavailable|'Deadline expired|'The caller does not have permission|'The request does not have valid auth|Unavailable|DeadlineExceeded|PermissionDenied|Unauthenticated)/;

function withoutValues(meta: Fields, message: string): { readonly fields: Fields; readonly text: string } {
  const { error = meta['err'] } = meta;
  const known = Object.entries(meta).filter(([name]) => FIELDS.has(name));
  const isText = typeof error === 'string';
  const fields = {
    ...Object.fromEntries(known),
    ...(isText && CONNECTION_ERROR.test(error) && { reason: error }),
    ...(error !== undefined && !isText && { error: isRunFailure(error) ? withoutStack(error) : error }),
  };
  // The SDK puts the text of an error behind a colon.
  const [text = ''] = message.split(': ');
  return { fields, text };
}

/**
 * True for the failure by which a run ends. The log has it already, with the position in the user's code; the stack of
 * this error is the engine's.
 */
function isRunFailure(error: unknown): error is Error & { readonly type: unknown } {
  const isFailure = types.isNativeError(error) && error.name === 'ApplicationFailure' && 'type' in error;
  return isFailure && error.type !== 'INTERNAL';
}

function withoutStack(error: Error & { readonly type: unknown }): Omit<ErrorWithoutText, 'stack'> {
  const { stack: _stack, ...named } = withoutText(error, error.type);
  return named;
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
