import type { AuditedAct } from '../../store/audit.ts';
import { ApiError } from './errors.ts';

/**
 * Records an act in the audit log at once, independently of the request's result. It never rejects: an act that can't
 * be stored is logged.
 */
export type RecordAct = (act: AuditedAct) => Promise<void>;

/** Performs an act and records it unless it was refused. @throws whatever the act throws */
export async function recordedAct<T>(record: RecordAct, act: AuditedAct, work: () => Promise<T>): Promise<T> {
  const result = await work().catch(async (error: unknown) => {
    if (error instanceof ApiError && error.mayTakeEffect) await record(act);
    throw error;
  });
  await record(act);
  return result;
}
