import type { RunError, TaskFailure } from '../values/errors.ts';
import { own, isJsonObject, isJsonList } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { hideArgs, hideMessages, hideStack, graphAt } from './hide.ts';
import { REDACTED } from './redaction.ts';
import type { NodeRedaction, Redaction } from './redaction.ts';
import type { CallReply } from '../run/effect.ts';
import type { NodePath } from '../run/ids.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import { mapValues } from '../values/collections.ts';

/** What people see of a call. */
export interface CallParts {
  /** Arguments of a tool or function, fields of a node type, the prompt of a model; `null`: none is known. */
  readonly request: Json;
  readonly reply: Json;
  readonly error: RunError | null;
  readonly failedAttempts: readonly { readonly at: string; readonly error: RunError }[];
}

interface CallPlace extends NodePlace {
  readonly kind: 'model' | 'tool' | 'function' | 'node';
  /** The call undoes another one. */
  readonly undoes: boolean;
}

/** Hides what a call was given and has answered, where its node has anything to hide. */
export function hideCall<Parts extends CallParts>(parts: Parts, place: CallPlace, redaction: Redaction): Parts {
  const hidden = hiddenOfNode(redaction, place);
  const { request, reply, error, failedAttempts } = parts;
  const hideError = (one: RunError): RunError =>
    hidden.error === true || (place.undoes && hidden.undone === true) ? hideMessages(one) : hideStack(one, redaction);
  return {
    ...parts,
    request: hideRequest(request, place, hidden),
    reply: reply !== null && isReplyHidden(hidden, place) ? REDACTED : reply,
    error: error && hideError(error),
    failedAttempts: failedAttempts.map((attempt) => ({ ...attempt, error: hideError(attempt.error) })),
  };
}

/** Masks say which parts of a tool's arguments are hidden. A prompt has no masks, so it is hidden as a whole. */
function hideRequest(request: Json, { kind }: CallPlace, hidden: NodeRedaction): Json {
  if (request === null) return null;
  if (kind === 'tool') return hideArgs(request, [hidden]);
  return Object.keys(hidden).length > 0 ? REDACTED : request;
}

function isReplyHidden({ calls, result, undone }: NodeRedaction, { undoes }: CallPlace): boolean {
  return undoes ? undone === true : calls === true || result === true;
}

/** A node, and the nodes around its graph, outermost first. */
export interface NodePlace {
  readonly node: string;
  readonly path: NodePath;
}

/** Returns what is hidden of a node; nothing of one that is not known. */
export function hiddenOfNode(redaction: Redaction, { node, path }: NodePlace): NodeRedaction {
  return own(graphAt(redaction, path).nodes, node) ?? {};
}

/** Hides the answer of a call, in a form that a replay can take. */
export function hideReply(reply: CallReply, { result, calls, undone }: NodeRedaction): CallReply {
  const isHidden = result === true || calls === true;
  switch (reply.kind) {
    case 'value':
      return isHidden || undone ? { ...reply, value: standInFor(reply.value) } : reply;
    case 'overflow':
      return reply;
    case 'model': {
      if (!isHidden) return reply;
      // Parts of a provider quote what the model has said.
      const { providerParts: _providerParts, text, toolCalls, ...rest } = reply;
      const shownCalls = calls ? toolCalls.map((call) => ({ ...call, args: standInFor(call.args) })) : toolCalls;
      return { ...rest, text: text === '' ? text : REDACTED, toolCalls: shownCalls };
    }
  }
}

/** Hides the messages of a call's failure, if the errors of its node are hidden. */
export function hideFailure(failure: TaskFailure, { error }: NodeRedaction): TaskFailure {
  return error ? { ...failure, error: hideMessages(failure.error) } : failure;
}

type RecordedSignal = RecordedOccurrence & { readonly kind: 'signal' };

/**
 * Hides what a recorded signal brings to a run that hides anything. Payloads of events, outputs of skipped nodes and
 * fields that no signal has are hidden wherever they go.
 * @param asking what is hidden of the node whose approval is decided; `null` for other signals
 */
export function hideSignal(
  signal: RecordedSignal,
  { channels }: Redaction,
  asking: NodeRedaction | null,
): RecordedSignal {
  const { payload } = signal;
  if (!isJsonObject(payload)) return { ...signal, payload: standInFor(payload) };
  const hiders: Readonly<Record<string, (value: Json) => Json>> = {
    args: (args) => (asking && !hidesArgs(asking) ? args : standInFor(args)),
    values: (values) => (asking ? hideDecided(values, asking) : hideWritten(values, channels)),
  };
  // A digest of what is hidden would tell if a guess is right, and the replay shows something else.
  const { digest: _digest, ...fields } = payload;
  const hide = (value: Json, field: string): Json =>
    (own(hiders, field) ?? (SHOWN.has(field) ? same : standInFor))(value);
  return { ...signal, payload: mapValues(fields, hide) };
}

/** The fields of signals that hold no values of a run. */
const SHOWN: ReadonlySet<string> = new Set([
  'approvalId',
  'asNode',
  'at',
  'checkpoint',
  'by',
  'signalId',
  'event',
  'id',
  'limits',
  'node',
  'reason',
  'roles',
  'since',
  'users',
]);

const same = (value: Json): Json => value;

function hidesArgs({ fields = {}, calls }: NodeRedaction): boolean {
  return calls === true || fields['args'] !== undefined || fields['compensate/args'] !== undefined;
}

function hideDecided(values: Json, asking: NodeRedaction): Json {
  return asking.values ? standInFor(values) : values;
}

function hideWritten(values: Json, channels: readonly string[]): Json {
  return isJsonObject(values) ? standInForChannels(values, channels) : standInFor(values);
}

/** Puts stand-ins in the place of hidden channels. */
export function standInForChannels(values: JsonObject, channels: readonly string[]): JsonObject {
  return mapValues(values, (value, name) => (channels.includes(name) ? standInFor(value) : value));
}

/** Hides a value, and keeps its form: texts are `[redacted]`, numbers 0, and true is false. A replay can go on with it. */
export function standInFor(value: Json): Json {
  if (typeof value === 'string') return REDACTED;
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (isJsonList(value)) return value.map(standInFor);
  return isJsonObject(value) ? mapValues(value, standInFor) : value;
}
