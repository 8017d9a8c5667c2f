import type { Payload } from '@temporalio/common';
import type { Blob, Blobs } from '../../../src/store/blobs/blobs.ts';

/** A payload that refers to the store, as Temporal's SDK writes one. */
export function aReference(claimData: Readonly<Record<string, string>>, driverName = 'holdfast'): Payload {
  return {
    metadata: {
      encoding: Buffer.from('json/protobuf'),
      messageType: Buffer.from('temporal.api.sdk.v1.ExternalStorageReference'),
    },
    data: Buffer.from(JSON.stringify({ driverName, claimData })),
  };
}

/** A store of payloads in memory; entries are never replaced. */
export function aStoreOf(payloads: Readonly<Record<string, Blob>>): Blobs {
  const kept = new Map(Object.entries(payloads));
  return {
    put: async (all) => {
      for (const { id, metadata, data } of all) if (!kept.has(id)) kept.set(id, { metadata, data });
    },
    get: async (ids) =>
      ids.map((id) => {
        const found = kept.get(id);
        if (!found) throw new RangeError(`There is no ${id}`);
        return found;
      }),
    find: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const found = kept.get(id);
          return found ? [[id, found] as const] : [];
        }),
      ),
  };
}
