import { toJson } from '../../graph/values/index.ts';
import type { Hook, NewHook } from '../../store/hooks/hooks.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import { SCHEMES } from './schemes.ts';

/** The hooks that a tenant may have. */
const MAX_HOOKS = 100;

/**
 * Writes a hook, in place of what was there.
 * @throws ApiError 422 for a wrong secret or template, 409 when the tenant has enough
 */
export async function changeHook(
  { store, graphJobs }: Pick<ApiDeps, 'store' | 'graphJobs'>,
  wanted: NewHook,
): Promise<{ readonly hook: Hook; readonly isNew: boolean }> {
  const { secret, scheme, action, tenantId } = wanted;
  const message = 'value' in secret ? SCHEMES[scheme].faultOf(secret.value) : null;
  if (message !== null) throw wrong({ path: '/secret', message });
  const fault = await graphJobs.do('findTemplateFault', tenantId, { template: toJson(templateOf(action)) });
  if (fault) throw wrong(fault);
  const written = await store.hooks.put(wanted, MAX_HOOKS);
  if (!written) throw new ApiError('TOO_MANY_KEPT', `A tenant may have ${MAX_HOOKS} hooks`);
  return written;
}

/** The parts of an action that are templates, where they stand in the body. */
function templateOf(action: Hook['action']) {
  return 'start' in action ? { start: { input: action.start.input } } : { event: { run: action.event.run } };
}

function wrong(issue: { readonly path: string; readonly message: string }): ApiError {
  return new ApiError('INVALID_REQUEST', issue.message, { issues: [issue] });
}
