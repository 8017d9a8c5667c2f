import { permissionsOf } from '../../graph/definition/index.ts';
import type { Message } from '../../graph/expression/index.ts';
import { hideRefusal } from '../../graph/redaction/index.ts';
import { isJsonObject, toJson } from '../../graph/values/index.ts';
import type { Json, JsonObject } from '../../graph/values/index.ts';
import type { HookAction, HookAnswer } from '../../store/hooks/hook-tables.ts';
import type { Hook } from '../../store/hooks/hooks.ts';
import type { ApiDeps, RequestAttempt } from '../deps.ts';
import type { Caller } from '../http/authenticate.ts';
import { ApiError, toApiError } from '../http/errors.ts';
import { hiddenFrom } from '../redaction/hidden-from.ts';
import { findRun } from '../runs/find-run.ts';
import { sendSignal } from '../runs/send-signal.ts';
import { startRun } from '../runs/start-run.ts';

/** What a message is to do. */
export interface WantedAct {
  readonly hook: Hook;
  readonly message: Message;
  /** The run or event takes its id, so that repeated tries make one. */
  readonly attempt: RequestAttempt;
}

/**
 * Starts the run of a hook, or sends its event, in the name of who changed it last.
 * @throws ApiError as starting a run and sending an event do; 403 when that person may not any more; 422 if the message does
 *   not fill the templates
 */
export async function actOnMessage(deps: ApiDeps, { hook, message, attempt }: WantedAct): Promise<HookAnswer> {
  const { action, tenantId, by } = hook;
  requireStillAllowed(deps, hook);
  const caller: Caller = { tenantId, ...by, permissions: permissionsWithin(deps, hook) };
  const filled = await fill(deps, tenantId, { template: templateOf(action), message });
  if ('event' in action) {
    await sendEvent(deps, caller, { runId: filled, name: action.event.name, payload: message.body, attempt });
    return { ok: true };
  }
  const input = isJsonObject(filled) ? filled : {};
  await startRun(deps, caller, {
    id: attempt.id,
    wanted: {
      ...PLAIN_RUN,
      graph: action.start.graph,
      input,
      metadata: { hook: hook.name },
      inherited: { channels: hook.redacted },
    },
  });
  return { runId: attempt.id };
}

/** Roles may permit less than when the hook was written. @throws ApiError 403 */
function requireStillAllowed({ settings }: Pick<ApiDeps, 'settings'>, { action, by }: Hook): void {
  const needed = 'start' in action ? 'run:start' : 'run:control';
  if (permissionsOf(by.roles, settings.roles).has(needed)) return;
  throw new ApiError('FORBIDDEN', `Who has changed the hook last has no permission ${needed} any more`);
}

/** What the person may, but for what reaches beyond the tenant: a message of others names the run. */
function permissionsWithin({ settings }: Pick<ApiDeps, 'settings'>, { by }: Hook): Caller['permissions'] {
  return new Set([...permissionsOf(by.roles, settings.roles)].filter((permission) => permission !== 'admin'));
}

const PLAIN_RUN = {
  threadId: null,
  onBusy: 'reject',
  limits: {},
  startAt: null,
  breakpoints: { before: [], after: [] },
} as const;

function templateOf(action: HookAction): Json {
  return toJson('start' in action ? action.start.input : action.event.run);
}

/** @throws ApiError 422 */
async function fill(
  { graphJobs }: Pick<ApiDeps, 'graphJobs'>,
  tenantId: string,
  task: { readonly template: Json; readonly message: Message },
): Promise<Json> {
  const result = await graphJobs.do('fillFromMessage', tenantId, task);
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
  const event: JsonObject = { event: name, payload };
  const result = await sendSignal(deps, caller, { run, signal: { name: 'event', attempt, payload: event } });
  if (!result.taken) throw toApiError(hideRefusal(result.refusal, hiddenFrom(caller, run)));
}
