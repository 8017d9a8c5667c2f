import { ulid } from 'ulid';
import type { RequestAdmission, RequestKey } from '../../store/idempotency.ts';
import type { Store } from '../../store/store.ts';
import { ApiError, retryAfter } from './errors.ts';

/** One attempt of a request. */
export interface RequestAttempt {
  /** The id of the new resource or decision: the same for all attempts with one idempotency key. */
  readonly id: string;
  /** True when an earlier attempt may have done the work but its answer is unknown. */
  readonly isRepetition: boolean;
}

/**
 * After this time without renewal, another request may take over, because the process of the first one is assumed to be
 * lost.
 */
export const LEASE_MS = 15_000;

/** The messages of refused repetitions. */
export interface AdmissionRefusals {
  /** The key was used for another request. */
  readonly reused: string;
  /** An earlier attempt is in progress. */
  readonly inProgress: string;
}

/** A request with a stored answer, or one that proceeds. */
type AdmittedRequest =
  | Extract<RequestAdmission, { readonly kind: 'replay' }>
  | { readonly kind: 'proceed'; readonly attempt: RequestAttempt };

/**
 * Admits a request once for each key.
 * @returns the stored answer, or the attempt that may proceed
 * @throws ApiError 409 while an earlier attempt is in progress, 422 when the key was used for another request
 */
export async function admitOnce(
  { idempotency }: Pick<Store, 'idempotency'>,
  request: RequestKey,
  fingerprint: string,
  refusals: AdmissionRefusals,
): Promise<AdmittedRequest> {
  const id = ulid();
  const admission = await idempotency.admit({
    ...request,
    fingerprint,
    resourceId: id,
    at: timestampIn(0),
    leaseUntil: timestampIn(LEASE_MS),
  });
  switch (admission.kind) {
    case 'replay':
      return admission;
    case 'reused':
      throw new ApiError('IDEMPOTENCY_KEY_REUSED', refusals.reused);
    case 'in-progress':
      throw retryAfter(1, 'REQUEST_IN_PROGRESS', refusals.inProgress);
    case 'proceed': {
      const { resourceId } = admission;
      return { kind: 'proceed', attempt: { id: resourceId, isRepetition: resourceId !== id } };
    }
  }
}

export function timestampIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

/** The draft requires a quoted string, but clients often send it without quotes; both are the same key. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const key = /^"(.*)"$/.exec(header.trim())?.[1] ?? header.trim();
  if (key === '' || key.length > 255)
    throw new ApiError('INVALID_IDEMPOTENCY_KEY', 'An Idempotency-Key has 1 to 255 characters');
  return key;
}

/**
 * A first attempt that was refused had no effect, so its record is deleted. For a repetition, the effects of earlier
 * attempts are unknown, so the record keeps its id.
 */
export async function withdrawAttempt(
  { idempotency }: Pick<Store, 'idempotency'>,
  request: RequestKey,
  { isRepetition }: RequestAttempt,
): Promise<void> {
  await (isRepetition ? idempotency.lease(request, timestampIn(0)) : idempotency.forget(request));
}
