import { START } from '../definition/definition.ts';
import type { RunError, RunErrorCode } from '../values/errors.ts';
import { REDACTED, isRedacting, hideValuesInText, hideMasked, restoreMasked } from './redaction.ts';
import type { Redaction, GraphRedaction, NodeRedaction, FieldMask } from './redaction.ts';
import type { RunEvent } from '../journal/events.ts';
import { own, isJsonObject, toTemplateText } from '../values/json.ts';
import { deepEqual } from '../values/compare-json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { isCompensationKey } from '../run/ids.ts';
import type { NodePath } from '../run/ids.ts';
import { fieldsVisibleAs } from '../definition/node-types/describe-node.ts';
import { toPublicApproval } from '../run/approval.ts';
import type { Approval, PublicApproval } from '../run/approval.ts';
import { mapValues } from '../values/collections.ts';
import type { CallProgress, ModelDelta } from '../journal/model-delta.ts';
import type { Refusal } from '../run/occurrence.ts';
import type { Intervention, WaitingFor } from '../journal/run-view.ts';

/** Codes of errors whose messages the engine builds only from names and limits. */
const CODES_WITHOUT_VALUES: ReadonlySet<RunErrorCode> = new Set([
  'BUDGET_EXCEEDED',
  'CANCELED',
  'DEADLINE_EXCEEDED',
  'GRAPH_RECURSION_LIMIT',
  'MAX_VISITS_EXCEEDED',
]);

/** Redacts the messages and stack positions of an error; its codes and its node stay. */
export function hideMessages(error: RunError): RunError {
  const { code, message, cause } = error;
  return {
    ...error,
    message: CODES_WITHOUT_VALUES.has(code) ? message : REDACTED,
    ...(cause && { cause: { code: cause.code, message: REDACTED } }),
  };
}

/** Removes stack positions of configured code from an error, if they are redacted. */
export function hideStack(error: RunError, { stacks }: Redaction): RunError {
  if (stacks !== true || error.cause?.stack === undefined) return error;
  const { code, message } = error.cause;
  return { ...error, cause: { code, message } };
}

/** Redacts the messages of an error of which only the node's name is known. */
export function hideErrorOf(error: RunError, redaction: Redaction): RunError {
  const isHidden = nodesNamed(redaction, error.node ?? START).some((node) => node.error);
  return isHidden ? hideMessages(error) : hideStack(error, redaction);
}

/** Returns true if the messages of a call's errors are redacted, of which only the name of its node is known. */
export function hidesErrorsOfCall(node: string, key: string, redaction: Redaction): boolean {
  const undoes = isCompensationKey(key);
  return nodesNamed(redaction, node).some(({ error, undone }) => error === true || (undoes && undone === true));
}

/** Redacts the messages of a run's error. Its cause may describe redacted compensations. */
export function hideRunError(error: RunError, redaction: Redaction): RunError {
  if (!isRedacting(redaction)) return hideStack(error, redaction);
  // An INTERNAL error without a node may quote any value, so its message is redacted.
  if (error.node === undefined && error.code === 'INTERNAL') return hideMessages(error);
  const visible = hideErrorOf(error, redaction);
  const { cause } = visible;
  return cause && undoesHidden(redaction) ? { ...visible, cause: { ...cause, message: REDACTED } } : visible;
}

function undoesHidden(redaction: Redaction): boolean {
  return everyGraphRedaction(redaction).some(({ nodes }) => Object.values(nodes).some(({ undone }) => undone));
}

/** Redacts the values in an event. */
export function hideEvent(event: RunEvent, redaction: Redaction): RunEvent {
  if (!isRedacting(redaction)) return hideEventStack(event, redaction);
  const graph = redactionAtPath(redaction, event.path ?? []);
  const node = 'node' in event && event.node !== undefined ? own(graph.nodes, event.node) : undefined;
  const place: EventRedaction = { redaction, graph, nodes: node ? [node] : [] };
  const changes = HIDERS[event.type].flatMap((hide) => hide(event, place) ?? []);
  return Object.assign({}, event, ...changes);
}

/** The redaction that applies to an event. */
interface EventRedaction {
  readonly redaction: Redaction;
  readonly graph: GraphRedaction;
  /** The event's node, if anything of it is redacted. */
  readonly nodes: readonly NodeRedaction[];
}

/** Returns the fields of an event that redaction changes. */
type HideEventFields = (event: RunEvent, place: EventRedaction) => object | null;

const hideUpdate: HideEventFields = (event, { graph }) =>
  'update' in event ? { update: hideChannels(event.update, graph) } : null;
const hideValues: HideEventFields = (event, { graph }) =>
  'values' in event ? { values: hideChannels(event.values, graph) } : null;
const hideOutputField: HideEventFields = (event, { graph }) =>
  'output' in event ? { output: hideOutput(event.output, graph) } : null;
const hideArgsField: HideEventFields = (event, { nodes }) =>
  'args' in event ? { args: hideArgs(event.args, nodes) } : null;
/** Redacts the arguments of functions as a whole. No other event contains them, so there is no mask for their parts. */
const functionArgs: HideEventFields = (event, { nodes }) =>
  'args' in event && nodes.length > 0 ? { args: REDACTED } : null;
const hideResultField: HideEventFields = (event, { nodes }) =>
  'result' in event ? { result: hideResult(event, event.result ?? null, nodes) } : null;
const hideApprovalFields: HideEventFields = (event, { nodes }) =>
  'approval' in event ? { approval: hideForNodes(event.approval, nodes) } : null;
const hideErrorField: HideEventFields = (event, place) =>
  'error' in event && event.error ? { error: hideEventError(event, event.error, place) } : null;
const hidePausedValues: HideEventFields = (event, { redaction }) =>
  event.type === 'run.paused' ? hidePause(event, redaction) : null;
const hideDetail: HideEventFields = (event) =>
  event.type === 'signal.ignored' && REASONS_WITH_VALUES.has(event.reason) ? { detail: REDACTED } : null;

/** The redaction of each type of event; an empty list if the event contains no values. */
const HIDERS: Readonly<Record<RunEvent['type'], readonly HideEventFields[]>> = {
  'run.started': [],
  'step.started': [],
  'model.called': [hideErrorField],
  'function.requested': [functionArgs],
  'function.called': [hideResultField, hideErrorField],
  'tool.requested': [hideArgsField],
  'tool.called': [hideResultField, hideErrorField],
  'tool.skipped': [hideResultField],
  'node.started': [],
  'node.completed': [hideUpdate],
  'node.failed': [hideErrorField],
  'node.skipped': [hideUpdate],
  'approval.requested': [hideApprovalFields],
  'approval.decided': [hideArgsField],
  'approval.reassigned': [],
  'approval.expired': [hideArgsField],
  'compensation.requested': [hideArgsField],
  'node.compensated': [hideResultField],
  'compensation.failed': [hideErrorField],
  'checkpoint.saved': [],
  'run.retried': [],
  'signal.ignored': [hideDetail],
  'run.paused': [hidePausedValues],
  'run.resumed': [],
  'state.updated': [hideValues],
  'signal.received': [],
  'run.completed': [hideOutputField],
  'run.failed': [hideErrorField],
  'run.canceled': [],
};

function hideResult({ type }: RunEvent, result: Json, nodes: readonly NodeRedaction[]): Json {
  const isHidden = nodes.some(({ calls, result: own, undone }) =>
    type === 'node.compensated' ? undone : calls === true || own === true,
  );
  return isHidden ? REDACTED : result;
}

function hideEventError(event: RunEvent, error: RunError, { redaction, nodes }: EventRedaction): RunError {
  if (event.type === 'run.failed') return hideRunError(error, redaction);
  const isHidden = nodes.some((node) => node.error ?? (event.type === 'compensation.failed' && node.undone));
  return isHidden ? hideMessages(error) : hideStack(error, redaction);
}

function hideEventStack(event: RunEvent, redaction: Redaction): RunEvent {
  if (!('error' in event) || !event.error) return event;
  return Object.assign({}, event, { error: hideStack(event.error, redaction) });
}

type PauseEvent = RunEvent & { readonly type: 'run.paused' };

/** If code pauses a run, the code supplies the reason, which may contain values. */
function hidePause({ by, reason }: PauseEvent, redaction: Redaction): object {
  const isHidden = reason !== null && nodesNamed(redaction, by).some(({ error }) => error);
  return { reason: isHidden ? REDACTED : reason };
}

/** Reasons of ignored signals whose details may quote values. */
const REASONS_WITH_VALUES: ReadonlySet<string> = new Set(['invalid_args', 'invalid_values', 'malformed']);

const NO_REDACTION: GraphRedaction = { channels: [], nodes: {} };

/** Returns the redaction of the graph inside some nodes, outermost first; of the run's own graph for an empty path. */
export function redactionAtPath(redaction: Redaction, path: NodePath): GraphRedaction {
  return path.reduce<GraphRedaction>((graph, node) => {
    const { inside } = own(graph.nodes, node) ?? {};
    return (typeof inside === 'string' ? own(redaction.graphs, inside) : inside) ?? NO_REDACTION;
  }, redaction);
}

/** Returns the redaction of each node with a name, for callers that know nothing else about a node. */
function nodesNamed(redaction: Redaction, name: string): readonly NodeRedaction[] {
  return everyGraphRedaction(redaction).flatMap(({ nodes }) => own(nodes, name) ?? []);
}

/** Returns the redaction of every graph of a run. */
function everyGraphRedaction(redaction: Redaction): readonly GraphRedaction[] {
  const graphs: GraphRedaction[] = [redaction, ...Object.values(redaction.graphs)];
  for (const { nodes } of graphs)
    for (const { inside } of Object.values(nodes)) if (typeof inside === 'object') graphs.push(inside);
  return graphs;
}

/** Redacts the filled parts of an approval. If anything is redacted, its digest is, too. */
export function hideApproval(approval: Approval, redaction: Redaction): PublicApproval {
  return hideForNodes(toPublicApproval(approval), requestingNodes(approval, redaction));
}

/** Returns the title of an approval as `hideApproval` does, without reading the other parts, which may be large. */
export function hideTitle(
  { title, ...request }: Pick<Approval, 'title' | 'task' | 'node'>,
  redaction: Redaction,
): string {
  return toTemplateText(hideField('title', title, requestingNodes(request, redaction)));
}

/**
 * Returns the arguments that the node originally asked for, if a decision has changed them. They are redacted in the
 * same way.
 */
export function hideAskedArgs(
  { askedArgs, ...request }: Pick<Approval, 'askedArgs' | 'task' | 'node'>,
  redaction: Redaction,
): Json | undefined {
  return askedArgs === undefined ? undefined : hideArgs(askedArgs, requestingNodes(request, redaction));
}

function hideField(field: string, value: Json, nodes: readonly NodeRedaction[]): Json {
  return nodes.reduce((visible, { fields = {} }) => hideValuesInText(visible, own(fields, field)), value);
}

/** Like `hideApproval`, for the nodes that may have requested the approval. */
function hideForNodes(approval: PublicApproval, nodes: readonly NodeRedaction[]): PublicApproval {
  if (nodes.length === 0) return approval;
  const { title, details, args } = approval;
  const visible = {
    title: toTemplateText(hideField('title', title, nodes)),
    details: hideMemory(hideField('details', details, nodes), nodes),
    args: hideArgs(args, nodes),
  };
  const isWhole = deepEqual(visible, { title, details, args });
  return {
    ...approval,
    ...visible,
    ...(!isWhole && { digest: REDACTED }),
    decisions: approval.decisions.map((decision) => ({
      ...decision,
      args: hideArgs(decision.args, nodes),
      values: decision.values !== null && nodes.some(({ values }) => values) ? REDACTED : decision.values,
    })),
  };
}

/** Redacts the namespace of a memory call. */
function hideMemory(details: Json, nodes: readonly NodeRedaction[]): Json {
  const isHidden = nodes.some(({ fields = {} }) => fieldsVisibleAs('memory').some((field) => own(fields, field)));
  return isHidden && isJsonObject(details) && 'memory' in details ? { ...details, memory: REDACTED } : details;
}

/** Redacts the arguments of calls, and the arguments that people approve. */
export function hideArgs(args: Json, nodes: readonly NodeRedaction[]): Json {
  return argumentMasks(nodes).reduce(hideMasked, args);
}

/** Restores the real arguments where a person has sent back redacted ones. */
export function restoreArgs(given: Json, approval: Approval, redaction: Redaction): Json {
  const masks = argumentMasks(requestingNodes(approval, redaction));
  return masks.reduce((args, mask) => restoreMasked(args, approval.args, mask), given);
}

/**
 * Returns the masks of everything that a node may request an approval for: its own arguments, the calls of its model,
 * or its compensation.
 */
function argumentMasks(nodes: readonly NodeRedaction[]): readonly FieldMask[] {
  return nodes.flatMap(({ fields = {}, calls }) => [
    ...(calls ? [REDACTED] : []),
    ...fieldsVisibleAs('args').flatMap((field) => own(fields, field) ?? []),
  ]);
}

/** A compensation requests its approval without a task, so the approval contains only the name of the node. */
function requestingNodes(
  { task, node }: Pick<Approval, 'task' | 'node'>,
  redaction: Redaction,
): readonly NodeRedaction[] {
  if (task.length === 0) return nodesNamed(redaction, node);
  const path = task.slice(0, -1).map((key) => key.replace(/#\d+$/, ''));
  return [own(redactionAtPath(redaction, path).nodes, node) ?? []].flat();
}

/** Redacts the values of redacted channels in an object by channel. */
export function hideChannels(values: JsonObject, { channels }: Pick<GraphRedaction, 'channels'>): JsonObject {
  if (channels.length === 0) return values;
  const hidden = new Set(channels);
  return mapValues(values, (value, name) => (hidden.has(name) ? REDACTED : value));
}

/** Like `hideChannels`, but for an output, which only a completed run has. */
export function hideOutput(output: Json, redaction: Pick<GraphRedaction, 'channels'>): Json {
  return isJsonObject(output) ? hideChannels(output, redaction) : output;
}

/** Redacts the text of a delta if the results of its node are redacted. */
export function hideDelta(delta: ModelDelta, redaction: Redaction): ModelDelta {
  const hidden = own(redactionAtPath(redaction, delta.path ?? []).nodes, delta.node);
  return hidden?.result === true || hidden?.calls === true ? { ...delta, text: REDACTED } : delta;
}

/** True if the progress of a call may tell anything that is redacted of its node. */
export function hidesProgress({ node, path = [] }: CallProgress, redaction: Redaction): boolean {
  return own(redactionAtPath(redaction, path).nodes, node) !== undefined;
}

/** Redacts the messages of a refusal that may quote redacted values. Messages about other channels stay. */
export function hideRefusal(refusal: Refusal, redaction: Redaction): Refusal {
  const { issues = [], mayQuote } = refusal;
  if (mayQuote !== true || !isRedacting(redaction)) return refusal;
  const isVisible = (path: string): boolean => {
    const [, field, channel] = path.split('/');
    return field === 'values' && channel !== undefined && !redaction.channels.includes(channel);
  };
  if (issues.length > 0 && issues.every(({ path }) => isVisible(path))) return refusal;
  return {
    ...refusal,
    message: REDACTED,
    ...(refusal.issues && {
      issues: issues.map((issue) => (isVisible(issue.path) ? issue : { ...issue, message: REDACTED })),
    }),
  };
}

/** Redacts what a run waits for where it contains redacted values: names and times of waits, failed calls. */
export function hideWaiting(waiting: WaitingFor, redaction: Redaction): WaitingFor {
  if (waiting.kind === 'intervention') return hideIntervention(waiting, redaction);
  const nodes = nodesNamed(redaction, waiting.node);
  if (nodes.length === 0) return waiting;
  const isHidden = (place: 'event' | 'time'): boolean =>
    fieldsVisibleAs(place).some((field) => nodes.some(({ fields = {} }) => own(fields, field) !== undefined));
  const { deadline, ...visible } = waiting;
  const isTimed = deadline !== undefined && !isHidden('time');
  return {
    ...visible,
    ...(waiting.kind === 'event' && isHidden('event') && { id: REDACTED }),
    ...(isTimed && { deadline }),
  };
}

/** Redacts the arguments and the messages of a failed call. */
export function hideIntervention(intervention: Intervention, redaction: Redaction): Intervention {
  const { node, args, error } = intervention;
  const nodes = nodesNamed(redaction, node);
  return {
    ...intervention,
    args: args === null ? null : hideArgs(args, nodes),
    error: nodes.some((one) => one.error) ? hideMessages(error) : hideStack(error, redaction),
  };
}
