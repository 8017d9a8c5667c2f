import type { Draft } from '../draft/draft.ts';
import { emitOfRun, recordOccurrence } from '../draft/frames.ts';
import type { UnknownCompensation } from '../run/compensation.ts';
import { mayMeanIntervention, unknownCompensationId } from '../run/ids.ts';
import type { Refusal } from '../run/occurrence.ts';
import { RUN_PERMISSIONS } from '../run/principal.ts';
import type { Principal } from '../run/principal.ts';
import { awaitedPerson, hasEnded, isBeingCanceled, isClosing, isEnding, statusOf } from '../run/status.ts';
import { cancelSignal, pauseSignal, replanSignal, resumeSignal } from './controls.ts';
import { decisionSignal, reassignSignal } from './decide.ts';
import { editSignal } from './edit.ts';
import { eventSignal } from './event.ts';
import { failSignal, retrySignal, skipSignal } from './interventions.ts';
import { refuseUnread } from './refusals.ts';
import { refuseSignal, textField } from './signal.ts';
import type { SignalOutcome, SignalKind } from './signal.ts';
import { boundIssues } from '../values/bound-issues.ts';
import { MAX_MESSAGE } from '../values/errors.ts';
import { compileJsonSchema } from '../values/json-schema.ts';
import type { SchemaViolation } from '../values/json-schema.ts';
import { jsonSize } from '../values/json-size.ts';
import { isDeeperThan, isJsonObject, MAX_INPUT_DEPTH } from '../values/json.ts';
import type { Json, JsonObject } from '../values/json.ts';
import { abbreviate, truncate } from '../values/text.ts';
import { whyUnreadable } from '../values/unreadable.ts';

/** The signals that a run accepts, by name. */
export const signals: ReadonlyMap<string, SignalKind> = new Map<string, SignalKind>([
  ['approve', decisionSignal('approve', 'Approve: {"approvalId"?, "reason"?, "args"?, "values"?, "digest"?}')],
  ['reject', decisionSignal('reject', 'Reject: {"approvalId"?, "reason"?, "values"?, "digest"?}')],
  ['reassign', reassignSignal],
  ['pause', pauseSignal],
  ['resume', resumeSignal],
  ['replan', replanSignal],
  ['edit', editSignal],
  ['event', eventSignal],
  ['cancel', cancelSignal],
  ['retry', retrySignal],
  ['skip', skipSignal],
  ['fail', failSignal],
]);

/** The author of a signal without `by`. The access control of Temporal decides who may signal workflows. */
const OPERATOR: Principal = { sub: 'temporal-operator', roles: ['approver'] };

const PRINCIPAL_SCHEMA = {
  type: 'object',
  properties: {
    sub: { type: 'string', minLength: 1 },
    roles: { type: 'array', items: { type: 'string' } },
    may: { type: 'array', items: { enum: RUN_PERMISSIONS } },
  },
  required: ['sub', 'roles'],
} as const;

/**
 * Validates and processes a signal. A malformed, unknown, outdated or refused one only adds an event; one with a known
 * id is dropped.
 */
export function receiveSignal(draft: Draft, givenName: string, given: Json | undefined): void {
  const name = toStorableName(givenName);
  const payload = given ?? {};
  const id = signalIdOf(payload);
  if (id !== undefined && draft.run.signalResults.some((result) => result.id === id)) return;
  recordOccurrence(draft, { kind: 'signal', name, payload });
  const answer = boundRefusal(handleSignal(draft, name, payload));
  if (!answer.taken) recordIgnored(draft, name, senderOf(payload).sub, answer.refusal);
  if (id !== undefined) draft.recordSignalResult({ id, ...answer });
}

/** Returns the id by which the sender looks up the result; the run remembers it. */
function signalIdOf(payload: Json): string | undefined {
  const id = isJsonObject(payload) ? textField(payload, 'signalId') : undefined;
  return id !== undefined && id.length <= MAX_SIGNAL_ID ? id : undefined;
}

const MAX_SIGNAL_ID = 255;

/** The limit of issues in one refusal, because a run remembers some refusals. */
const MAX_REFUSAL_ISSUES = 100;

/** Limits the quotes from a signal in a refusal. */
function boundRefusal(handled: SignalOutcome): SignalOutcome {
  if (handled.taken) return handled;
  const { message, issues, ...rest } = handled.refusal;
  return refuseSignal({
    ...rest,
    message: abbreviate(message, MAX_MESSAGE),
    ...(issues && { issues: boundIssues(issues, MAX_REFUSAL_ISSUES) }),
  });
}

/** In characters. No known signal has a longer name. */
const MAX_SIGNAL_NAME = 100;

/** Shortens a name, which may be any text of an unknown client, and replaces its control characters. */
function toStorableName(name: string): string {
  return truncate(name.replaceAll(/\p{Cc}/gu, '\uFFFD'), MAX_SIGNAL_NAME);
}

function handleSignal(draft: Draft, name: string, payload: Json): SignalOutcome {
  const kind = signals.get(name);
  if (!kind)
    return refuseSignal({
      code: 'UNKNOWN_SIGNAL',
      message: `There is no signal "${name}"; known are ${[...signals.keys()].join(', ')}`,
    });
  const why = whyUnreadable(payload);
  if (why !== null) return refuseSignal({ code: 'MALFORMED', message: `The payload can't be read: ${why}` });
  const tooLarge = sizeProblem(payload);
  if (tooLarge !== null) return refuseSignal({ code: 'MALFORMED', message: tooLarge });
  const issues = payloadIssues(kind, payload);
  if (issues.length > 0 || !isJsonObject(payload)) {
    return refuseSignal({
      code: 'MALFORMED',
      message: issues.map(({ path, message }) => `${path || '/'}: ${message}`).join('; '),
      issues,
    });
  }
  const request = { payload, by: senderOf(payload) };
  const awaited = awaitedPerson(draft.run);
  if (awaited?.kind === 'unknown' && kind.handleCompensation)
    return refuseOther(awaited, payload) ?? kind.handleCompensation(draft, awaited, request);
  const refusal = refuseInPhase(draft, kind);
  return refusal ? refuseSignal(refusal) : kind.handle(draft, request);
}

/**
 * Returns the problem of a payload that is nested too deeply, or too large for what a run stores of it; `null` for
 * none.
 */
function sizeProblem(payload: Json): string | null {
  if (isDeeperThan(MAX_INPUT_DEPTH, payload)) return `The payload is nested deeper than ${MAX_INPUT_DEPTH} levels`;
  const by = isJsonObject(payload) ? payload['by'] : undefined;
  const isTooLarge = by !== undefined && jsonSize(by) > MAX_PRINCIPAL_BYTES;
  return isTooLarge ? `/by: it takes more than ${MAX_PRINCIPAL_BYTES} bytes` : null;
}

/** Refuses an intervention other than the one that a compensating run waits for. */
function refuseOther({ compensation, since }: UnknownCompensation, payload: JsonObject): SignalOutcome | null {
  const { node } = compensation.task;
  const id = unknownCompensationId(compensation.task);
  if (mayMeanIntervention(payload, node, id)) {
    const unread = refuseUnread(payload, since);
    return unread && refuseSignal(unread);
  }
  const message = `The run is being compensated; only ${id} (${node}) waits for an intervention`;
  return refuseSignal({ code: 'UNKNOWN_INTERVENTION', message });
}

function refuseInPhase({ run }: Draft, { alsoTaken }: SignalKind): Refusal | null {
  if (hasEnded(run))
    return alsoTaken === 'ended' ? null : { code: 'NOT_ALLOWED_NOW', message: `The run is ${statusOf(run)}` };
  const isCanceled = isBeingCanceled(run);
  if ((!isCanceled && !isEnding(run) && !isClosing(run)) || alsoTaken === 'ending') return null;
  if (awaitedPerson(run)?.kind === 'asked' && alsoTaken === 'asking') return null;
  return { code: 'NOT_ALLOWED_NOW', message: `The run is ${isCanceled ? 'being canceled' : 'about to fail'}` };
}

const payloadSchemas: ReadonlyMap<SignalKind, JsonObject> = new Map(
  [...signals.values()].map((kind) => [kind, payloadSchema(kind)]),
);

function payloadIssues(kind: SignalKind, payload: Json): readonly SchemaViolation[] {
  return compileJsonSchema(payloadSchemas.get(kind) ?? false)(payload);
}

function payloadSchema({ properties }: SignalKind): JsonObject {
  return {
    type: 'object',
    properties: { ...properties, signalId: { type: 'string', maxLength: MAX_SIGNAL_ID }, by: PRINCIPAL_SCHEMA },
    additionalProperties: false,
  };
}

function senderOf(payload: Json): Principal {
  const by = isJsonObject(payload) ? payload['by'] : undefined;
  if (!isJsonObject(by)) return OPERATOR;
  const { sub, roles, may } = by;
  if (typeof sub !== 'string' || !Array.isArray(roles)) return OPERATOR;
  const person = { sub, roles: roles.filter((role) => typeof role === 'string') };
  return Array.isArray(may) ? { ...person, may: RUN_PERMISSIONS.filter((one) => may.includes(one)) } : person;
}

function recordIgnored(draft: Draft, name: string, by: string, refusal: Refusal): void {
  const detail = truncate(refusal.message, MAX_DETAIL);
  emitOfRun(draft, {
    type: 'signal.ignored',
    signal: name,
    reason: refusal.code.toLowerCase(),
    detail,
    by: truncate(by, MAX_DETAIL),
  });
}

/** Limit in bytes of the sender, whom a run remembers. The token of a request is never larger. */
const MAX_PRINCIPAL_BYTES = 16_384;
const MAX_DETAIL = 500;
