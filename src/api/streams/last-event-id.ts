import { ApiError } from '../http/errors.ts';

/**
 * Reads the `Last-Event-ID` of a run's stream.
 * @param lastSeq the last event that is written
 * @returns the number of an event; `null` without a header
 * @throws ApiError `INVALID_EVENT_ID` for what is no number of an event of the run
 */
export function readLastEventId(header: string | undefined, lastSeq: number): number | null {
  if (header === undefined) return null;
  if (!/^(?:0|[1-9]\d{0,9})$/.test(header))
    throw new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is the seq of an event, in digits only');
  return requireWritten(Number(header), lastSeq);
}

/** @throws ApiError `INVALID_EVENT_ID` when there is no such event yet */
export function requireWritten(seq: number, lastSeq: number): number {
  if (seq > lastSeq)
    throw new ApiError('INVALID_EVENT_ID', `The run has no event ${seq} yet; its last one is ${lastSeq}`);
  return seq;
}
