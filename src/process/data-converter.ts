import { ExternalStorage, StorageDriverClaim } from '@temporalio/common';
import type {
  DataConverter,
  Payload,
  PayloadCodec,
  StorageDriver,
  StorageDriverStoreContext,
} from '@temporalio/common';
import { MAX_INLINE_BYTES } from '../graph/values/index.ts';
import { ownModule } from './own-code.ts';
import { compression } from './payloads/compression.ts';
import { createSignalReader } from './payloads/read-signal.ts';
import type { ReadSignal } from './payloads/read-signal.ts';
import { DRIVER, digestOf, fromStored, toStored } from './payloads/stored-payload.ts';
import type { Blobs, NewBlob } from '../store/blobs/blobs.ts';

/** The module that turns values into payloads; the workflow's bundle loads it, too. */
export const payloadConverterPath = ownModule('../workflows/payload-converter', import.meta.url);

/** Temporal's SDK reads all payloads but those of signals by it, which strangers may have sent. */
export interface PayloadReader extends DataConverter {
  readonly readSignal: ReadSignal;
}

/**
 * Turns values into payloads. Workers, clients and replays must use the same converter.
 * @param codecs change each payload before it is stored or sent, in this order; reading undoes that
 */
export function createDataConverter(store: Blobs, codecs: readonly PayloadCodec[] = []): PayloadReader {
  return {
    payloadConverterPath,
    payloadCodecs: [compression, ...codecs],
    externalStorage: new ExternalStorage({ drivers: [createDriver(store)], payloadSizeThreshold: MAX_INLINE_BYTES }),
    readSignal: createSignalReader(store, codecs),
  };
}

function createDriver(blobs: Blobs): StorageDriver {
  return {
    name: DRIVER,
    type: 'holdfast.blobs',
    async store(context, payloads) {
      const kept = payloads.map((payload) => toBlob(context, payload));
      await blobs.put(kept);
      return kept.map(({ id }) => new StorageDriverClaim({ id }));
    },
    async retrieve(_context, claims) {
      const found = await blobs.get(claims.map(({ claimData }) => claimData['id'] ?? ''));
      return found.map(fromStored);
    },
  };
}

/** The id follows from workflow and content, so writing a payload twice changes nothing. */
function toBlob({ target }: StorageDriverStoreContext, payload: Payload): NewBlob {
  const workflowId = target?.id ?? '';
  const stored = toStored(payload);
  return { id: `${workflowId}/${digestOf(stored)}`, workflowId, ...stored };
}
