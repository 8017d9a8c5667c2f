import type { RunEvent } from '../journal/events.ts';
import type { RunError } from '../values/errors.ts';
import type { Json } from '../values/json.ts';
import { own } from '../values/json.ts';
import { graphAt, nodesNamed } from './hidden-at.ts';
import { hideArgs, hideAsked } from './hide-approval.ts';
import { hideChannels, hideOutput } from './hide-channels.ts';
import { hideMessages, hideRunError } from './hide-error.ts';
import { REDACTED } from './mask.ts';
import { isRedacting } from './redaction.ts';
import type { GraphRedaction, NodeRedaction, Redaction } from './redaction.ts';

/** Hides what an event shows of hidden values. */
export function hideEvent(event: RunEvent, redaction: Redaction): RunEvent {
  if (!isRedacting(redaction)) return event;
  const graph = graphAt(redaction, event.path ?? []);
  const node = 'node' in event && event.node !== undefined ? own(graph.nodes, event.node) : undefined;
  const place: Place = { redaction, graph, nodes: node ? [node] : [] };
  const changes = HIDERS.flatMap((hide) => hide(event, place) ?? []);
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

const HIDERS: readonly Hide[] = [
  (event, { graph }) => ('update' in event ? { update: hideChannels(event.update, graph) } : null),
  (event, { graph }) => ('values' in event ? { values: hideChannels(event.values, graph) } : null),
  (event, { graph }) => ('output' in event ? { output: hideOutput(event.output, graph) } : null),
  (event, { nodes }) => ('args' in event ? { args: hideArgs(event.args, nodes) } : null),
  (event, { nodes }) => ('result' in event ? { result: hideResult(event, event.result ?? null, nodes) } : null),
  (event, { nodes }) => ('approval' in event ? { approval: hideAsked(event.approval, nodes) } : null),
  (event, place) => ('error' in event && event.error ? { error: hideEventError(event, event.error, place) } : null),
  (event, { redaction }) => (event.type === 'run.paused' ? hidePause(event, redaction) : null),
  (event) => (event.type === 'signal.ignored' && QUOTING.has(event.reason) ? { detail: REDACTED } : null),
];

function hideResult({ type }: RunEvent, result: Json, nodes: readonly NodeRedaction[]): Json {
  const isHidden = nodes.some(({ calls, result: own, undone }) =>
    type === 'node.compensated' ? undone : calls === true || own === true,
  );
  return isHidden ? REDACTED : result;
}

function hideEventError(event: RunEvent, error: RunError, { redaction, nodes }: Place): RunError {
  if (event.type === 'run.failed') return hideRunError(error, redaction);
  const isHidden = nodes.some((node) => node.error ?? (event.type === 'compensation.failed' && node.undone));
  return isHidden ? hideMessages(error) : error;
}

/** Code that pauses a run gives the reason. */
function hidePause({ by, reason }: RunEvent & { readonly type: 'run.paused' }, redaction: Redaction): object {
  const isHidden = reason !== null && nodesNamed(redaction, by).some(({ error }) => error);
  return { reason: isHidden ? REDACTED : reason };
}

/** Reasons of ignored signals whose details may quote values. */
const QUOTING: ReadonlySet<string> = new Set(['invalid_args', 'invalid_values', 'malformed']);
