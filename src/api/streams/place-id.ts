import type { EventPlace } from '../../store/streams/tenant-events.ts';
import type { Cursors } from '../http/cursor.ts';
import { ApiError } from '../http/errors.ts';

/** The ids of a tenant's stream: places, signed, which are good for this tenant only. */
export interface PlaceIds {
  write(tenantId: string, place: EventPlace): string;
  /** @throws ApiError `INVALID_EVENT_ID` */
  read(tenantId: string, id: string): EventPlace;
}

export function createPlaceIds(cursors: Cursors): PlaceIds {
  const stream = (tenantId: string) => ['tenant events', tenantId];
  return {
    write: (tenantId, { known, at, amid }) =>
      cursors.write(
        stream(tenantId),
        amid ? [known, at, amid.upTo, amid.last.xid, amid.last.runId, amid.last.seq] : [known, at],
      ),
    read(tenantId, id) {
      try {
        return toPlace(cursors.read(stream(tenantId), id));
      } catch (cause) {
        throw new ApiError('INVALID_EVENT_ID', 'Last-Event-ID is no id of this stream', { cause });
      }
    },
  };
}

/** @throws TypeError for what is no place */
function toPlace(value: unknown): EventPlace {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const [known, at, upTo, xid, runId, seq] = parts;
  if (typeof known !== 'string' || typeof at !== 'string') throw new TypeError('A signed id holds no place');
  if (typeof upTo !== 'string' || typeof xid !== 'string' || typeof runId !== 'string' || typeof seq !== 'number')
    return { known, at };
  return { known, at, amid: { upTo, last: { xid, runId, seq } } };
}
