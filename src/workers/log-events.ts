import type { JournalBatch, RunEvent } from '../graph/journal/index.ts';
import type { Logger } from '../process/logger.ts';
import type { JournalWriter } from '../store/journal.ts';

type Level = 'debug' | 'info' | 'warn';

interface EventLine<Event> {
  readonly level: Level;
  readonly text: string;
  /** What the line says besides the run and the node. Values of channels are not told. */
  readonly fields?: (event: Event) => Readonly<Record<string, unknown>>;
}

type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type };

const LINES: { readonly [Type in RunEvent['type']]?: EventLine<EventOf<Type>> } = {
  'run.started': { level: 'info', text: 'a run has begun', fields: ({ by }) => ({ by }) },
  'run.completed': { level: 'info', text: 'a run has ended well' },
  'run.failed': {
    level: 'warn',
    text: 'a run has failed',
    fields: ({ error: { code, message } }) => ({ code, message }),
  },
  'run.canceled': { level: 'info', text: 'a run was canceled', fields: ({ by }) => ({ by }) },
  'run.paused': { level: 'info', text: 'a run is paused', fields: ({ by, nodes }) => ({ by, nodes }) },
  'run.resumed': { level: 'info', text: 'a run goes on', fields: ({ by }) => ({ by }) },
  'run.retried': { level: 'info', text: 'a failed run is tried again', fields: ({ by }) => ({ by }) },
  'state.updated': { level: 'info', text: 'the state of a run was edited', fields: ({ by }) => ({ by }) },
  'step.started': { level: 'debug', text: 'a superstep has begun', fields: ({ step, nodes }) => ({ step, nodes }) },
  'node.completed': { level: 'debug', text: 'a node has finished' },
  'node.failed': {
    level: 'warn',
    text: 'a node has failed',
    fields: ({ error: { code, message }, attempts }) => ({ code, message, attempts }),
  },
  'node.skipped': { level: 'info', text: 'a node was skipped', fields: ({ by }) => ({ by }) },
  'model.called': {
    level: 'debug',
    text: 'a model was asked',
    fields: ({ model, idempotencyKey: key, attempts, durationMs, usage }) => ({
      called: `model:${model}`,
      key,
      attempts,
      durationMs,
      usage,
    }),
  },
  'tool.called': {
    level: 'debug',
    text: 'a tool was called',
    fields: ({ tool, idempotencyKey: key, attempts, durationMs }) => ({
      called: `tool:${tool}`,
      key,
      attempts,
      durationMs,
    }),
  },
  'approval.requested': {
    level: 'info',
    text: 'a run waits for an approval',
    fields: ({ approval: { id } }) => ({ approval: id }),
  },
  'approval.decided': {
    level: 'info',
    text: 'an approval was decided',
    fields: ({ approvalId, decision, status, by }) => ({ approval: approvalId, decision, status, by }),
  },
  'approval.reassigned': {
    level: 'info',
    text: 'an approval was given to others',
    fields: ({ approvalId, by }) => ({ approval: approvalId, by }),
  },
  'approval.expired': {
    level: 'info',
    text: 'an approval has expired',
    fields: ({ approvalId, status }) => ({ approval: approvalId, status }),
  },
  'compensation.failed': {
    level: 'warn',
    text: 'a call could not be undone',
    fields: ({ tool, error: { code, message } }) => ({ tool, code, message }),
  },
  'signal.ignored': {
    level: 'warn',
    text: 'a signal was ignored',
    fields: ({ signal, reason, by }) => ({ signal, reason, by }),
  },
};

/** Logs what of a run's journal matters to its operators, one line an event. */
export function logEvents(logger: Logger, { events }: Pick<JournalBatch, 'events'>, writer: JournalWriter): void {
  for (const event of events) logEvent(logger, event, writer);
}

function logEvent<Type extends RunEvent['type']>(
  logger: Logger,
  event: EventOf<Type>,
  { runId, tenantId, graph }: JournalWriter,
): void {
  const line = LINES[event.type];
  if (!line || !logger.isLevelEnabled(line.level)) return;
  logger[line.level]({ run: runId, tenant: tenantId, graph, ...placeOf(event), ...line.fields?.(event) }, line.text);
}

/** The node of an event. Nodes around it come first, as in `outer/inner`. */
function placeOf(event: RunEvent): Readonly<Record<string, unknown>> {
  if (!('node' in event) || event.node === undefined) return {};
  const node = [...(event.path ?? []), event.node].join('/');
  return 'visit' in event
    ? { node, visit: event.visit, ...(event.index !== undefined && { index: event.index }) }
    : { node };
}
