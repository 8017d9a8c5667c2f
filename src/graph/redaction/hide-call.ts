import type { RunError, TaskFailure } from '../values/errors.ts';
import { own, isJsonObject, isJsonList } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { hideArgs, hideMessages, hideStack, redactionAtPath } from './hide.ts';
import { REDACTED } from './redaction.ts';
import type { NodeRedaction, Redaction } from './redaction.ts';
import type { CallReply } from '../run/effect.ts';
import type { NodePath } from '../run/ids.ts';
import type { RecordedOccurrence } from '../run/occurrence.ts';
import { mapValues } from '../values/collections.ts';

/** The visible parts of a call. */
export interface CallParts {
  /** The arguments of a tool or function, the fields of a node type, or the prompt of a model; `null` if unknown. */
  readonly request: Json;
  readonly reply: Json;
  readonly error: RunError | null;
  readonly failedAttempts: readonly { readonly at: string; readonly error: RunError }[];
}

interface CallOrigin extends NodeAddress {
  readonly kind: 'model' | 'tool' | 'function' | 'node';
  /** True if the call compensates another one. */
  readonly undoes: boolean;
}

/** Redacts the request and the answer of a call if anything of its node is redacted. */
export function hideCall<Parts extends CallParts>(parts: Parts, origin: CallOrigin, redaction: Redaction): Parts {
  const hidden = hiddenOfNode(redaction, origin);
  const { request, reply, error, failedAttempts } = parts;
  const hideError = (one: RunError): RunError =>
    hidden.error === true || (origin.undoes && hidden.undone === true) ? hideMessages(one) : hideStack(one, redaction);
  return {
    ...parts,
    request: hideRequest(request, origin, hidden),
    reply: reply !== null && isReplyHidden(hidden, origin) ? REDACTED : reply,
    error: error && hideError(error),
    failedAttempts: failedAttempts.map((attempt) => ({ ...attempt, error: hideError(attempt.error) })),
  };
}

/**
 * Redacts a request. Masks determine the redacted parts of a tool's arguments; a prompt has no mask, so it is redacted
 * as a whole.
 */
function hideRequest(request: Json, { kind }: CallOrigin, hidden: NodeRedaction): Json {
  if (request === null) return null;
  if (kind === 'tool') return hideArgs(request, [hidden]);
  return Object.keys(hidden).length > 0 ? REDACTED : request;
}

function isReplyHidden({ calls, result, undone }: NodeRedaction, { undoes }: CallOrigin): boolean {
  return undoes ? undone === true : calls === true || result === true;
}

/** A node, and the nodes around its graph, outermost first. */
export interface NodeAddress {
  readonly node: string;
  readonly path: NodePath;
}

/** Returns the redaction of a node; an empty one if the node is unknown. */
export function hiddenOfNode(redaction: Redaction, { node, path }: NodeAddress): NodeRedaction {
  return own(redactionAtPath(redaction, path).nodes, node) ?? {};
}

/** Redacts the answer of a call in a form that a replay can use. */
export function hideReply(reply: CallReply, { result, calls, undone }: NodeRedaction): CallReply {
  const isHidden = result === true || calls === true;
  switch (reply.kind) {
    case 'value': {
      if (!isHidden && !undone) return reply;
      const { files: _files, ...rest } = reply;
      return { ...rest, value: placeholderFor(reply.value) };
    }
    case 'overflow':
      return reply;
    case 'model': {
      if (!isHidden) return reply;
      // The provider's parts quote the model's answer.
      const { providerParts: _providerParts, text, toolCalls, ...rest } = reply;
      const visibleCalls = calls ? toolCalls.map((call) => ({ ...call, args: placeholderFor(call.args) })) : toolCalls;
      return { ...rest, text: text === '' ? text : REDACTED, toolCalls: visibleCalls };
    }
  }
}

/** Redacts the messages of a call's failure, if the errors of its node are redacted. */
export function hideFailure(failure: TaskFailure, { error }: NodeRedaction): TaskFailure {
  return error ? { ...failure, error: hideMessages(failure.error) } : failure;
}

type RecordedSignal = RecordedOccurrence & { readonly kind: 'signal' };

/**
 * Redacts the payload of a recorded signal to a run with redacted values. Payloads of events, outputs of skipped nodes
 * and unknown fields are always redacted.
 * @param requester the redaction of the node whose approval is decided; `null` for other signals
 */
export function hideSignal(
  signal: RecordedSignal,
  { channels }: Redaction,
  requester: NodeRedaction | null,
): RecordedSignal {
  const { payload } = signal;
  if (!isJsonObject(payload)) return { ...signal, payload: placeholderFor(payload) };
  const hiders: Readonly<Record<string, (value: Json) => Json>> = {
    args: (args) => (requester && !redactsArgs(requester) ? args : placeholderFor(args)),
    values: (values) => (requester ? hideDecided(values, requester) : hideWritten(values, channels)),
  };
  // A digest of redacted content would allow guesses to be verified, and the replay shows other content.
  const { digest: _digest, ...fields } = payload;
  const hide = (value: Json, field: string): Json =>
    (own(hiders, field) ?? (VISIBLE_FIELDS.has(field) ? unchangedValue : placeholderFor))(value);
  return { ...signal, payload: mapValues(fields, hide) };
}

/** The fields of signals that contain no values of a run. */
const VISIBLE_FIELDS: ReadonlySet<string> = new Set([
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

const unchangedValue = (value: Json): Json => value;

function redactsArgs({ fields = {}, calls }: NodeRedaction): boolean {
  return calls === true || fields['args'] !== undefined || fields['compensate/args'] !== undefined;
}

function hideDecided(values: Json, requester: NodeRedaction): Json {
  return requester.values ? placeholderFor(values) : values;
}

function hideWritten(values: Json, channels: readonly string[]): Json {
  return isJsonObject(values) ? placeholdersForChannels(values, channels) : placeholderFor(values);
}

/** Replaces the values of redacted channels by placeholders. */
export function placeholdersForChannels(values: JsonObject, channels: readonly string[]): JsonObject {
  return mapValues(values, (value, name) => (channels.includes(name) ? placeholderFor(value) : value));
}

/**
 * Redacts a value but keeps its form, so that a replay can continue with it: texts become `[redacted]`, numbers 0, and
 * booleans false.
 */
export function placeholderFor(value: Json): Json {
  if (typeof value === 'string') return REDACTED;
  if (typeof value === 'number') return 0;
  if (typeof value === 'boolean') return false;
  if (isJsonList(value)) return value.map(placeholderFor);
  return isJsonObject(value) ? mapValues(value, placeholderFor) : value;
}
