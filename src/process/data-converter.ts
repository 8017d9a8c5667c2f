import { createHash } from 'node:crypto';
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

/** A payload as the store keeps it. Its metadata says how to read the data; values are in base64. */
interface StoredPayload {
  readonly metadata: Readonly<Record<string, string>>;
  readonly data: Uint8Array;
}

interface NewPayload extends StoredPayload {
  readonly id: string;
  readonly workflowId: string;
}

/** Keeps payloads that are too large for a history. */
interface PayloadStore {
  put(payloads: readonly NewPayload[]): Promise<void>;
  /** @returns the payloads in the order of their ids */
  get(ids: readonly string[]): Promise<readonly StoredPayload[]>;
}

/** The module that turns values into payloads; the workflow's bundle loads it, too. */
export const payloadConverterPath = ownModule('../workflows/payload-converter', import.meta.url);

/**
 * Turns values into payloads. Workers, clients and replays must use the same converter.
 * @param codecs change each payload before it is stored or sent, in this order; reading undoes that
 */
export function createDataConverter(store: PayloadStore, codecs: readonly PayloadCodec[] = []): DataConverter {
  return {
    payloadConverterPath,
    payloadCodecs: [...codecs],
    externalStorage: new ExternalStorage({ drivers: [createDriver(store)], payloadSizeThreshold: MAX_INLINE_BYTES }),
  };
}

function createDriver(blobs: PayloadStore): StorageDriver {
  return {
    name: 'holdfast',
    type: 'holdfast.blobs',
    async store(context, payloads) {
      const kept = payloads.map((payload) => toBlob(context, payload));
      await blobs.put(kept);
      return kept.map(({ id }) => new StorageDriverClaim({ id }));
    },
    async retrieve(_context, claims) {
      const found = await blobs.get(claims.map(({ claimData }) => claimData['id'] ?? ''));
      return found.map(({ metadata, data }) => ({
        metadata: eachValue(metadata, (value) => Buffer.from(value, 'base64')),
        data,
      }));
    },
  };
}

/** The id follows from workflow and content, so writing a payload twice changes nothing. */
function toBlob({ target }: StorageDriverStoreContext, payload: Payload): NewPayload {
  const workflowId = target?.id ?? '';
  const data = payload.data ?? new Uint8Array();
  const metadata = eachValue(payload.metadata ?? {}, (value) => Buffer.from(value).toString('base64'));
  const digest = createHash('sha256').update(JSON.stringify(metadata)).update(data).digest('base64url');
  return { id: `${workflowId}/${digest}`, workflowId, metadata, data };
}

function eachValue<From, To>(
  metadata: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, convert(value)]));
}
