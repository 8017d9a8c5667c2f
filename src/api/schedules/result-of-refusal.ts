import type { TickKind, TickResult } from '../../store/schedules/schedule.ts';
import type { ApiError, ApiErrorCode } from '../http/errors.ts';

/** The refusals of new runs that end when a new day begins, or when an administrator says so. */
const CLOSED: ReadonlySet<ApiErrorCode> = new Set(['QUOTA_REACHED', 'TENANT_SUSPENDED', 'SWITCHED_OFF']);

/**
 * Says what becomes of a tick whose run is refused. A time is left out while no run may begin: times that waited would all
 * start together at the end of it, past any quota.
 * @returns `null`: the tick waits, since a person has asked for it; a trigger waits for a quota alone
 */
export function resultOfRefusal(kind: TickKind, { code, message }: ApiError): TickResult | null {
  if (CLOSED.has(code) && kind === 'time') return { outcome: 'skipped', code, message };
  if (CLOSED.has(code) && (kind === 'backfill' || code === 'QUOTA_REACHED')) return null;
  return { outcome: code === 'THREAD_BUSY' ? 'skipped' : 'failed', code, message };
}
