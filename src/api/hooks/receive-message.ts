import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { JsonObject, Json } from '../../graph/values/index.ts';
import type { MessageKey } from '../../store/hooks.ts';
import type { ApiDeps } from '../deps.ts';
import { contentHash } from '../http/fingerprints.ts';
import { ApiError, invalidField, retryAfter, toApiError } from '../http/errors.ts';
import { SCHEMES } from './schemes.ts';
import type { SignedRequest, Scheme } from './schemes.ts';
import { permissionsOf } from '../../graph/definition/index.ts';
import type { HookMessage } from '../../graph/expression/index.ts';
import { hideRefusal } from '../../graph/redaction/index.ts';
import type { Caller } from '../http/authenticate.ts';
import { hiddenFrom } from '../redaction.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { plainRun, startRun } from '../runs/start-run.ts';
import { decodeText, readJsonText, requirePlainBody } from '../http/read-json.ts';
import type { RequestAttempt } from '../http/admission.ts';
import { findRun } from '../runs/read-run.ts';
import type { Hook, HookAction, HookAnswer } from '../../store/hook.ts';

/** The answer to a message. */
export interface HookResponse {
  /** 202 when the message had an effect now; 200 when it had it earlier or needs none. */
  readonly status: 200 | 202;
  readonly body: JsonObject;
}

/**
 * Handles a signed message of another system: the action of the hook is executed once.
 * @throws ApiError 401 for an invalid signature; 409 while the same message is being handled; otherwise the error of
 * the action. After an error, the sender may repeat the message
 */
export async function receiveMessage(deps: ApiDeps, address: string, request: SignedRequest): Promise<HookResponse> {
  const hook = await authenticateHook(deps, address, request);
  const scheme = SCHEMES[hook.scheme];
  const message = readMessage(request, scheme);
  const verificationAnswer = scheme.verificationAnswerOf(request, message.body);
  if (verificationAnswer) return { status: 200, body: verificationAnswer };
  const at = { hook, message: contentHash(scheme.messageIdOf(request, message.body)) };
  const id = ulid();
  const claim = await deps.store.hookMessages.claim(at, id);
  switch (claim.kind) {
    case 'done':
      return { status: 200, body: { ...claim.answer } };
    case 'in-progress':
      throw retryAfter(1, 'REQUEST_IN_PROGRESS', 'This message is still being worked on');
    case 'mine':
      return await act(deps, { hook, message, attempt: { id: claim.workId, isRepetition: claim.workId !== id } }, at);
  }
}

async function act(deps: ApiDeps, wanted: MessageAction, at: MessageKey): Promise<HookResponse> {
  const { hookMessages } = deps.store;
  try {
    const answer = await actOnMessage(deps, wanted);
    await hookMessages.finish(at, answer);
    return { status: 202, body: { ...answer } };
  } catch (error) {
    await hookMessages.release(at).catch(() => undefined);
    throw error;
  }
}

/** The action that a message causes. */
export interface MessageAction {
  readonly hook: Hook;
  readonly message: HookMessage;
  /** Its id becomes the id of the run or event, so that repeated attempts create only one. */
  readonly attempt: RequestAttempt;
}

/**
 * Starts the run of a hook or sends its event, on behalf of the user who changed the hook last.
 * @throws ApiError as starting a run or sending an event does; 403 when the user has lost the permission; 422 if the
 * message can't fill the templates
 */
async function actOnMessage(deps: ApiDeps, { hook, message, attempt }: MessageAction): Promise<HookAnswer> {
  const { action, tenantId, by } = hook;
  requireStillAllowed(deps, hook);
  const caller: Caller = { tenantId, ...by, permissions: permissionsWithin(deps, hook) };
  const filled = await fill(deps, tenantId, templateOf(action), message);
  if ('event' in action) {
    await sendEvent(deps, caller, { runId: filled, name: action.event.name, payload: message.body, attempt });
    return { ok: true };
  }
  const input = isJsonObject(filled) ? filled : {};
  const wanted = plainRun({
    graph: action.start.graph,
    input,
    metadata: { hook: hook.name },
    inherited: { channels: hook.redacted },
  });
  await startRun(deps, caller, attempt.id, wanted);
  return { runId: attempt.id };
}

/** The user's roles may permit less than when the hook was stored. @throws ApiError 403 */
function requireStillAllowed({ settings }: Pick<ApiDeps, 'settings'>, { action, by }: Hook): void {
  const needed = 'start' in action ? 'run:start' : 'run:control';
  if (permissionsOf(by.roles, settings.roles).has(needed)) return;
  throw new ApiError('FORBIDDEN', `Who has changed the hook last has no permission ${needed} any more`);
}

/**
 * Returns the user's permissions without those that apply to other tenants, because the message of an untrusted sender
 * selects the run.
 */
function permissionsWithin({ settings }: Pick<ApiDeps, 'settings'>, { by }: Hook): Caller['permissions'] {
  return new Set([...permissionsOf(by.roles, settings.roles)].filter((permission) => permission !== 'admin'));
}

function templateOf(action: HookAction): Json {
  return toJson('start' in action ? action.start.input : action.event.run);
}

/** @throws ApiError 422 */
async function fill(
  { graphJobs }: Pick<ApiDeps, 'graphJobs'>,
  tenantId: string,
  template: Json,
  message: HookMessage,
): Promise<Json> {
  const result = await graphJobs.do('fillFromMessage', tenantId, template, message);
  if ('filled' in result) return result.filled;
  throw new ApiError('INVALID_REQUEST', `The hook can't read this message: ${result.failure}`);
}

interface SentEvent {
  readonly runId: Json;
  readonly name: string;
  readonly payload: Json;
  readonly attempt: RequestAttempt;
}

async function sendEvent(deps: ApiDeps, caller: Caller, { runId, name, payload, attempt }: SentEvent): Promise<void> {
  if (typeof runId !== 'string') throw new ApiError('INVALID_REQUEST', 'What the hook takes for a run is no text');
  const run = await findRun(deps, caller, runId);
  const signal = { name: 'event', attempt, payload: { event: name, payload } };
  const result = await sendSignal(deps, caller, run, signal);
  if (!result.taken) throw toApiError(hideRefusal(result.refusal, hiddenFrom(caller, run)));
}

type AuthenticateDeps = Pick<ApiDeps, 'store' | 'settings' | 'logger'>;

/** The most hooks with the same name, in different tenants, that are checked. */
const MAX_NAMESAKES = 20;

/** A random secret for requests to hooks that do not exist, so that their check takes the same time. */
const DECOY = randomBytes(32).toString('base64');

/**
 * Finds the hook of a request and verifies its signature. An address is `tenant.name` or only the name. For a name
 * alone, the oldest hook with that name whose secret matches is used, so that a later hook of another tenant can't take
 * over its messages.
 * @throws ApiError 401, the same for every cause
 */
async function authenticateHook(deps: AuthenticateDeps, address: string, request: SignedRequest): Promise<Hook> {
  const hooks = await findAddressed(deps, address);
  if (hooks.length === 0) SCHEMES.github.isSigned(DECOY, request);
  const checked = await Promise.all(hooks.map(async (hook) => ((await isFor(deps, hook, request)) ? [hook] : [])));
  const [oldest] = checked.flat();
  if (oldest) return oldest;
  throw new ApiError('UNAUTHENTICATED', 'The signature is not accepted', {
    headers: { 'www-authenticate': 'Signature' },
  });
}

/** Returns the oldest hooks first. Names contain no dot, but tenants may. */
async function findAddressed({ store }: AuthenticateDeps, address: string): Promise<readonly Hook[]> {
  const dot = address.lastIndexOf('.');
  if (dot < 0) return await store.hooks.named(address, MAX_NAMESAKES);
  const hook = await store.hooks.find({ tenantId: address.slice(0, dot), name: address.slice(dot + 1) });
  return hook ? [hook] : [];
}

async function isFor(deps: AuthenticateDeps, hook: Hook, request: SignedRequest): Promise<boolean> {
  const secret = await resolve(deps, hook);
  return secret !== null && SCHEMES[hook.scheme].isSigned(secret, request);
}

/** @returns `null` if the secret does not exist, so that the sender gets the same answer as for a wrong signature */
async function resolve(
  { settings, logger }: AuthenticateDeps,
  { tenantId, name, secret }: Hook,
): Promise<string | null> {
  if ('value' in secret) return secret.value;
  try {
    const value = await settings.secrets(secret.secret);
    return value === '' ? null : value;
  } catch {
    logger.warn({ tenant: tenantId, hook: name, secret: secret.secret }, 'the secret of a hook is not available');
    return null;
  }
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Headers with credentials, which are not passed to runs. */
const HIDDEN: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'stripe-signature',
  'svix-signature',
  'webhook-signature',
  'x-hub-signature',
  'x-hub-signature-256',
  'x-slack-signature',
]);

/**
 * Parses the body of a request. Header names become lower case. A form becomes an object of strings, in which `payload`
 * is parsed as JSON, or only the value of `payload`, as the scheme says.
 * @throws ApiError 415 for another media type, 400 or 422 as for any JSON body, 422 for a form without its `payload`
 */
function readMessage({ headers, bytes }: SignedRequest, { formBody }: Scheme): HookMessage {
  const mediaType = requirePlainBody(headers, formBody === 'none' ? [JSON_TYPE] : [JSON_TYPE, FORM_TYPE]);
  return {
    body: mediaType === FORM_TYPE ? readForm(bytes, formBody) : readJson(bytes),
    headers: Object.fromEntries([...headers].filter(([name]) => !HIDDEN.has(name))),
  };
}

function readJson(bytes: Uint8Array, name?: string): Json {
  const value: unknown = JSON.parse(readJsonText(bytes, name));
  return toJson(value);
}

/** Slack sends button actions as JSON in a field of a form; GitHub sends its whole message so. */
function readForm(bytes: Uint8Array, formBody: Scheme['formBody']): Json {
  const form = new URLSearchParams(decodeText(bytes));
  const [payload, another] = form.getAll('payload');
  if (formBody === 'payload' && (payload === undefined || another !== undefined))
    throw invalidField('/payload', 'A form of GitHub has one field "payload" with the message as JSON');
  if (payload === undefined) return Object.fromEntries(form);
  const json = readJson(Buffer.from(payload), 'The field "payload" of the form');
  return formBody === 'payload' ? json : { ...Object.fromEntries(form), payload: json };
}
