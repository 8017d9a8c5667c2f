import type { FeedPosition } from '../../store/tenant-events.ts';
import { ApiError } from '../http/errors.ts';
import type { Cursors } from '../http/paging.ts';

/**
 * Reads the `Last-Event-ID` of a run's stream.
 * @param lastSeq the `seq` of the last stored event
 * @returns the `seq` of an event; `null` without a header
 * @throws ApiError `INVALID_EVENT_ID` when it is not the number of an event of the run
 */
export function readLastEventId(header: string | undefined, lastSeq: number): number | null {
  if (header === undefined) return null;
  if (!/^(?:0|[1-9]\d{0,9})$/.test(header))
    throw new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is the seq of an event, in digits only');
  return requireWrittenSeq(Number(header), lastSeq);
}

/** @throws ApiError `INVALID_EVENT_ID` when the event does not exist yet */
export function requireWrittenSeq(seq: number, lastSeq: number): number {
  if (seq > lastSeq)
    throw new ApiError('INVALID_EVENT_ID', `The run has no event ${seq} yet; its last one is ${lastSeq}`);
  return seq;
}

/** The event ids of a tenant's stream: signed positions that are valid for this tenant only. */
export interface EventIds {
  write(tenantId: string, position: FeedPosition): string;
  /** @throws ApiError `INVALID_EVENT_ID` */
  read(tenantId: string, id: string): FeedPosition;
}

export function createEventIds(cursors: Cursors): EventIds {
  const stream = (tenantId: string) => ['tenant events', tenantId];
  return {
    write: (tenantId, { known, at, amid }) =>
      cursors.write(
        stream(tenantId),
        amid ? [known, at, amid.upTo, amid.last.xid, amid.last.runId, amid.last.seq] : [known, at],
      ),
    read(tenantId, id) {
      try {
        return toFeedPosition(cursors.read(stream(tenantId), id));
      } catch (cause) {
        throw new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is no id of this stream', { cause });
      }
    },
  };
}

/** @throws TypeError for a value that is no position */
function toFeedPosition(value: unknown): FeedPosition {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const [known, at, upTo, xid, runId, seq] = parts;
  if (typeof known !== 'string' || typeof at !== 'string') throw new TypeError('A signed id holds no position');
  if (typeof upTo !== 'string' || typeof xid !== 'string' || typeof runId !== 'string' || typeof seq !== 'number')
    return { known, at };
  return { known, at, amid: { upTo, last: { xid, runId, seq } } };
}

/** The error for a reader whose position is no longer kept. */
export function eventIdTooOld(): ApiError {
  return new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is older than an hour; begin anew without one');
}
