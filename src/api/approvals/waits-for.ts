import { isPendingFor } from '../../graph/run/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Caller } from '../http/authenticate.ts';
import { toPrincipal } from '../http/to-principal.ts';

/** True if an approval waits now for a caller to decide it. */
export function waitsFor(caller: Caller, approval: Approval): boolean {
  return isPendingFor(approval, { by: toPrincipal(caller), at: new Date().toISOString() });
}
