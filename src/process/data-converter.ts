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
import { compressionCodec } from './payloads/compression.ts';
import { createSignalReader } from './payloads/read-signal.ts';
import type { ReadSignal } from './payloads/read-signal.ts';
import { DRIVER, payloadDigest, fromStored, toStoredBlob } from './payloads/stored-payload.ts';
import type { Blobs, NewBlob } from '../store/blobs/blobs.ts';

/** The module of the payload converter, which is also part of the workflow bundle. */
export const payloadConverterPath = ownModule('../workflows/payload-converter', import.meta.url);

/**
 * The data converter, with which Temporal's SDK decodes payloads. Payloads of signals, which untrusted clients may have
 * sent, are read by `readSignal` first.
 */
export interface PayloadReader extends DataConverter {
  readonly readSignal: ReadSignal;
}

/**
 * Creates the data converter. Workers, clients and replays must use the same one.
 * @param codecs encode each payload in this order before it is stored or sent; decoding reverses them
 */
export function createDataConverter(store: Blobs, codecs: readonly PayloadCodec[] = []): PayloadReader {
  return {
    payloadConverterPath,
    payloadCodecs: [compressionCodec, ...codecs],
    externalStorage: new ExternalStorage({ drivers: [createDriver(store)], payloadSizeThreshold: MAX_INLINE_BYTES }),
    readSignal: createSignalReader(store, codecs),
  };
}

function createDriver(blobs: Blobs): StorageDriver {
  return {
    name: DRIVER,
    type: 'holdfast.blobs',
    async store(context, payloads) {
      const kept = payloads.map((payload) => toPayloadBlob(context, payload));
      await blobs.put(kept);
      return kept.map(({ id }) => new StorageDriverClaim({ id }));
    },
    async retrieve(_context, claims) {
      const found = await blobs.get(claims.map(({ claimData }) => claimData['id'] ?? ''));
      return found.map(fromStored);
    },
  };
}

/** The id is derived from workflow and content, so writing a payload twice changes nothing. */
function toPayloadBlob({ target }: StorageDriverStoreContext, payload: Payload): NewBlob {
  const workflowId = target?.id ?? '';
  const stored = toStoredBlob(payload);
  return { id: `${workflowId}/${payloadDigest(stored)}`, workflowId, ...stored };
}
