import type { EventOf, RunEvent } from '../graph/journal/index.ts';
import { hideEvent, hideMessages } from '../graph/redaction/index.ts';
import type { Redaction } from '../graph/redaction/index.ts';
import { throwingFrame } from '../graph/values/index.ts';
import type { RunError } from '../graph/values/index.ts';
import type { Logger } from '../process/logger.ts';
import type { JournalWriter } from '../store/journal.ts';
import { readRedaction } from '../process/read-redaction.ts';
import type { RedactionSource } from '../process/read-redaction.ts';

type Level = 'debug' | 'info' | 'warn';

type Fields = Readonly<Record<string, unknown>>;

interface EventLine<Event> {
  readonly level: Level;
  readonly text: string;
  /** Returns the fields besides the run and the node, of the event without redacted values. */
  readonly fields: (event: Event) => Fields;
}

function line<Event>(level: Level, text: string, fields: (event: Event) => Fields = () => ({})): EventLine<Event> {
  return { level, text, fields };
}

const LINES: { readonly [Type in RunEvent['type']]?: EventLine<EventOf<Type>> } = {
  'run.started': line('info', 'a run has begun', ({ by }) => ({ by })),
  'run.completed': line('info', 'a run has ended well'),
  'run.failed': line('warn', 'a run has failed', ({ error }) => ({
    code: error.code,
    message: error.message,
    ...thrownAt(error),
  })),
  'run.canceled': line('info', 'a run was canceled', ({ by }) => ({ by })),
  'run.paused': line('info', 'a run is paused', ({ by, nodes }) => ({ by, nodes })),
  'run.resumed': line('info', 'a run goes on', ({ by }) => ({ by })),
  'run.retried': line('info', 'a failed run is tried again', ({ by }) => ({ by })),
  'state.updated': line('info', 'the state of a run was edited', ({ by }) => ({ by })),
  'step.started': line('debug', 'a superstep has begun', ({ step, nodes }) => ({ step, nodes })),
  'node.completed': line('debug', 'a node has finished'),
  'node.failed': line('warn', 'a node has failed', ({ error, attempts }) => ({
    code: error.code,
    message: error.message,
    attempts,
    ...thrownAt(error),
  })),
  'node.skipped': line('info', 'a node was skipped', ({ by }) => ({ by })),
  'model.called': line('debug', 'a model was asked', ({ model, idempotencyKey: key, attempts, durationMs, usage }) => ({
    called: `model:${model}`,
    key,
    attempts,
    durationMs,
    usage,
  })),
  'tool.called': line('debug', 'a tool was called', ({ tool, idempotencyKey: key, attempts, durationMs }) => ({
    called: `tool:${tool}`,
    key,
    attempts,
    durationMs,
  })),
  'approval.requested': line('info', 'a run waits for an approval', ({ approval: { id } }) => ({ approval: id })),
  'approval.decided': line('info', 'an approval was decided', ({ approvalId, decision, status, by }) => ({
    approval: approvalId,
    decision,
    status,
    by,
  })),
  'approval.reassigned': line('info', 'an approval was given to others', ({ approvalId, by }) => ({
    approval: approvalId,
    by,
  })),
  'approval.expired': line('info', 'an approval has expired', ({ approvalId, status }) => ({
    approval: approvalId,
    status,
  })),
  'compensation.failed': line('warn', 'a call could not be undone', ({ tool, error: { code, message } }) => ({
    tool,
    code,
    message,
  })),
  'signal.ignored': line('warn', 'a signal was ignored', ({ signal, reason, by }) => ({ signal, reason, by })),
};

/** The innermost frame of configured code that has thrown; no field if there is none. */
function thrownAt(error: RunError): { readonly thrownAt?: string } {
  const frame = throwingFrame(error);
  return frame === null ? {} : { thrownAt: frame.replace(/^at /, '') };
}

/** Logs the events of a run's journal that matter to its operators, one line each, without redacted values. */
export async function logEvents(
  { store, logger }: LogDeps,
  events: readonly RunEvent[],
  writer: JournalWriter,
): Promise<void> {
  const redaction = events.some(hasError) ? await readRedaction(store, writer.runId) : null;
  for (const event of events) logEvent(logger, hasError(event) ? withoutValues(event, redaction) : event, writer);
}

interface LogDeps {
  readonly store: RedactionSource;
  readonly logger: Logger;
}

type EventWithError = RunEvent & { readonly error: RunError };

/** Only errors contain values in log lines. */
function hasError(event: RunEvent): event is EventWithError {
  return 'error' in event && event.error !== undefined;
}

function withoutValues(event: EventWithError, redaction: Redaction | null): RunEvent {
  return redaction ? hideEvent(event, redaction) : Object.assign({}, event, { error: hideMessages(event.error) });
}

function logEvent<Type extends RunEvent['type']>(
  logger: Logger,
  event: EventOf<Type>,
  { runId, tenantId, graph }: JournalWriter,
): void {
  const known = LINES[event.type];
  if (!known || !logger.isLevelEnabled(known.level)) return;
  logger[known.level]({ run: runId, tenant: tenantId, graph, ...nodeOf(event), ...known.fields(event) }, known.text);
}

/** Returns the fields that name the node of an event; a node in a subgraph is `outer/inner`. */
function nodeOf(event: RunEvent): Fields {
  if (!('node' in event) || event.node === undefined) return {};
  const node = [...(event.path ?? []), event.node].join('/');
  return 'visit' in event
    ? { node, visit: event.visit, ...(event.index !== undefined && { index: event.index }) }
    : { node };
}
