import { isPendingFor } from '../../graph/run/index.ts';
import type { Approval } from '../../graph/run/index.ts';
import type { Caller } from '../http/authenticate.ts';

/** True if an approval waits now for a caller to decide it. */
export function waitsFor(by: Pick<Caller, 'sub' | 'roles'>, approval: Approval): boolean {
  return isPendingFor(approval, { by, at: new Date().toISOString() });
}
