import type { Hook } from '../../store/hooks/hooks.ts';
import type { Caller } from '../http/authenticate.ts';
import { createShowInput } from '../runs/show-input.ts';
import type { ShowInputDeps } from '../runs/show-input.ts';

/** Shows a caller hooks, without secrets that are stored. */
export async function shownHooks(deps: ShowInputDeps, caller: Caller, hooks: readonly Hook[]) {
  const graphs = hooks.flatMap(({ action }) => ('start' in action ? [action.start.graph] : []));
  const show = await createShowInput(deps, caller, graphs);
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

/** As `shownHooks`, of one. */
export async function shownHook(deps: ShowInputDeps, caller: Caller, hook: Hook) {
  const [shown] = await shownHooks(deps, caller, [hook]);
  if (!shown) throw new TypeError('A hook has no answer');
  return shown;
}
