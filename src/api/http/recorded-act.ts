import type { Act } from '../../store/audit.ts';
import { ApiError } from './errors.ts';

/** Records an act in the audit at once, whatever becomes of the request. It never fails: the log has what the audit can't take. */
export type RecordAct = (act: Act) => Promise<void>;

/** Does an act and records it, unless it was refused. @throws what the act throws */
export async function recordedAct<T>(record: RecordAct, act: Act, work: () => Promise<T>): Promise<T> {
  const result = await work().catch(async (error: unknown) => {
    if (error instanceof ApiError && error.mayTakeEffect) await record(act);
    throw error;
  });
  await record(act);
  return result;
}
