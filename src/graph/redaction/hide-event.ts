import type { RunEvent } from '../journal/events.ts';
import type { RunError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import { own } from '../values/json.ts';
import { graphAt, nodesNamed } from './hidden-at.ts';
import { hideArgs, hideAsked } from './hide-approval.ts';
import { hideChannels, hideOutput } from './hide-channels.ts';
import { hideMessages, hideRunError, hideStack } from './hide-error.ts';
import { REDACTED } from './mask.ts';
import { isRedacting } from './redaction.ts';
import type { GraphRedaction, NodeRedaction, Redaction } from './redaction.ts';

/** Hides what an event shows of hidden values. */
export function hideEvent(event: RunEvent, redaction: Redaction): RunEvent {
  if (!isRedacting(redaction)) return hideEventStack(event, redaction);
  const graph = graphAt(redaction, event.path ?? []);
  const node = 'node' in event && event.node !== undefined ? own(graph.nodes, event.node) : undefined;
  const place: Place = { redaction, graph, nodes: node ? [node] : [] };
  const changes = HIDERS[event.type].flatMap((hide) => hide(event, place) ?? []);
  return Object.assign({}, event, ...changes);
}

/** What is hidden where an event happened. */
interface Place {
  readonly redaction: Redaction;
  readonly graph: GraphRedaction;
  /** The event's node, if anything is hidden of it. */
  readonly nodes: readonly NodeRedaction[];
}

/** Returns the fields of an event that are shown in another form. */
type Hide = (event: RunEvent, place: Place) => object | null;

const update: Hide = (event, { graph }) => ('update' in event ? { update: hideChannels(event.update, graph) } : null);
const values: Hide = (event, { graph }) => ('values' in event ? { values: hideChannels(event.values, graph) } : null);
const output: Hide = (event, { graph }) => ('output' in event ? { output: hideOutput(event.output, graph) } : null);
const args: Hide = (event, { nodes }) => ('args' in event ? { args: hideArgs(event.args, nodes) } : null);
/** Arguments of functions are shown by no other event, so that no mask says which parts are hidden. */
const given: Hide = (event, { nodes }) => ('args' in event && nodes.length > 0 ? { args: REDACTED } : null);
const result: Hide = (event, { nodes }) =>
  'result' in event ? { result: hideResult(event, event.result ?? null, nodes) } : null;
const approval: Hide = (event, { nodes }) =>
  'approval' in event ? { approval: hideAsked(event.approval, nodes) } : null;
const error: Hide = (event, place) =>
  'error' in event && event.error ? { error: hideEventError(event, event.error, place) } : null;
const pause: Hide = (event, { redaction }) => (event.type === 'run.paused' ? hidePause(event, redaction) : null);
const detail: Hide = (event) =>
  event.type === 'signal.ignored' && QUOTING.has(event.reason) ? { detail: REDACTED } : null;

/** What is hidden of each type of event; an empty list: it holds no values. */
const HIDERS: Readonly<Record<RunEvent['type'], readonly Hide[]>> = {
  'run.started': [],
  'step.started': [],
  'model.called': [error],
  'function.requested': [given],
  'function.called': [result, error],
  'tool.requested': [args],
  'tool.called': [result, error],
  'tool.skipped': [result],
  'node.started': [],
  'node.completed': [update],
  'node.failed': [error],
  'node.skipped': [update],
  'approval.requested': [approval],
  'approval.decided': [args],
  'approval.reassigned': [],
  'approval.expired': [args],
  'compensation.requested': [args],
  'node.compensated': [result],
  'compensation.failed': [error],
  'checkpoint.saved': [],
  'run.retried': [],
  'signal.ignored': [detail],
  'run.paused': [pause],
  'run.resumed': [],
  'state.updated': [values],
  'signal.received': [],
  'run.completed': [output],
  'run.failed': [error],
  'run.canceled': [],
};

function hideResult({ type }: RunEvent, result: Json, nodes: readonly NodeRedaction[]): Json {
  const isHidden = nodes.some(({ calls, result: own, undone }) =>
    type === 'node.compensated' ? undone : calls === true || own === true,
  );
  return isHidden ? REDACTED : result;
}

function hideEventError(event: RunEvent, error: RunError, { redaction, nodes }: Place): RunError {
  if (event.type === 'run.failed') return hideRunError(error, redaction);
  const isHidden = nodes.some((node) => node.error ?? (event.type === 'compensation.failed' && node.undone));
  return isHidden ? hideMessages(error) : hideStack(error, redaction);
}

function hideEventStack(event: RunEvent, redaction: Redaction): RunEvent {
  if (!('error' in event) || !event.error) return event;
  return Object.assign({}, event, { error: hideStack(event.error, redaction) });
}

/** Code that pauses a run gives the reason. */
function hidePause({ by, reason }: RunEvent & { readonly type: 'run.paused' }, redaction: Redaction): object {
  const isHidden = reason !== null && nodesNamed(redaction, by).some(({ error }) => error);
  return { reason: isHidden ? REDACTED : reason };
}

/** Reasons of ignored signals whose details may quote values. */
const QUOTING: ReadonlySet<string> = new Set(['invalid_args', 'invalid_values', 'malformed']);
