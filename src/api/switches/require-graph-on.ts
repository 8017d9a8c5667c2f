import { switchedOff } from '../../store/rulings/known-rulings.ts';
import type { ApiDeps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';

/** Refuses new runs of a graph that is switched off. @throws ApiError 403 `SWITCHED_OFF` */
export async function requireGraphOn(
  { store }: Pick<ApiDeps, 'store'>,
  { name, tenantId }: { readonly name: string; readonly tenantId: string },
): Promise<void> {
  const off = switchedOff(await store.rulings.now(), { kind: 'graph', name }, tenantId);
  if (off) throw new ApiError('SWITCHED_OFF', `No run of the graph "${name}" may begin: ${off.reason}`);
}
