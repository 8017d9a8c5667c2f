import { toJson } from '../../graph/values/index.ts';
import type { ApiDeps } from '../deps.ts';
import { redactedChannels } from '../graphs/redacted-channels.ts';
import { ApiError, invalidField } from '../http/errors.ts';
import { refusePlaceholders } from '../redaction.ts';
import { SCHEMES } from './schemes.ts';
import type { Caller } from '../http/authenticate.ts';
import { createInputRedactor } from '../runs/redact-input.ts';
import type { RedactInputDeps } from '../runs/redact-input.ts';
import type { Hook, NewHook, HookKey } from '../../store/hook.ts';

/** The most hooks of a tenant. */
const MAX_HOOKS = 100;

/**
 * Creates or replaces a hook.
 * @throws ApiError 422 for an invalid secret or template, or for a redacted placeholder that is sent back; 409 when the
 * tenant has too many hooks
 */
export async function changeHook(
  deps: Pick<ApiDeps, 'store' | 'graphJobs' | 'catalog'>,
  wanted: Omit<NewHook, 'redacted'>,
): Promise<{ readonly hook: Hook; readonly isNew: boolean }> {
  const { secret, scheme, action, tenantId } = wanted;
  const message = 'value' in secret ? SCHEMES[scheme].faultOf(secret.value) : null;
  if (message !== null) throw invalidField('/secret', message);
  if ('start' in action)
    refusePlaceholders(action.start.input, { channels: Object.keys(action.start.input) }, ['start', 'input']);
  const fault = await deps.graphJobs.do('findTemplateFault', tenantId, toJson(templatesOfAction(action)));
  if (fault) throw invalidField(fault.path, fault.message);
  const redacted = 'start' in action ? await redactedChannels(deps, tenantId, action.start.graph) : null;
  const written = await deps.store.hooks.put({ ...wanted, redacted: redacted ?? [] }, MAX_HOOKS);
  if (!written) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_HOOKS} hooks`);
  return written;
}

/** Returns the parts of an action that are templates, at their paths in the request body. */
function templatesOfAction(action: Hook['action']) {
  return 'start' in action ? { start: { input: action.start.input } } : { event: { run: action.event.run } };
}

/** Finds a hook of a tenant. @throws ApiError 404 */
export async function findHook({ store }: Pick<ApiDeps, 'store'>, at: HookKey): Promise<Hook> {
  const hook = await store.hooks.find(at);
  if (!hook) throw new ApiError('NOT_FOUND', `There is no "${at.name}" among the hooks of this tenant`);
  return hook;
}

/** Builds the public form of hooks, without their secrets and redacted for the caller. */
export async function toHooksJson(deps: RedactInputDeps, caller: Caller, hooks: readonly Hook[]) {
  const graphs = hooks.flatMap(({ action }) => ('start' in action ? [action.start.graph] : []));
  const show = await createInputRedactor(deps, caller, graphs);
  return hooks.map(({ tenantId, name, scheme, secret, action, redacted, createdAt, updatedAt, by }) => ({
    id: name,
    path: `/api/hooks/${tenantId}.${name}`,
    scheme,
    secret: 'secret' in secret ? secret : null,
    ...('start' in action
      ? { start: { graph: action.start.graph, input: show({ ...action.start, redacted }) } }
      : action),
    createdAt,
    updatedAt,
    by: by.sub,
  }));
}

/** Builds the public form of one hook, as `toHooksJson` does. */
export async function toHookJson(deps: RedactInputDeps, caller: Caller, hook: Hook) {
  const [json] = await toHooksJson(deps, caller, [hook]);
  if (!json) throw new TypeError('A hook has no answer');
  return json;
}
