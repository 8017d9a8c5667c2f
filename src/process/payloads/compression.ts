import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';

/** The metadata field that marks payloads to compress; `workflows/payload-converter.ts` sets it. */
const MARK = 'holdfast-compress';
/** The encoding of a compressed payload: raw DEFLATE (RFC 1951) of the data. */
const DEFLATE = Buffer.from('holdfast/deflate');
/** The metadata field of a compressed payload for the encoding of its original data. */
const INNER = 'holdfast-encoding';

/** Larger data is compressed in another thread, so that it does not block the event loop. */
const MAX_SYNC_BYTES = 65_536;
/** The limit of decompressed data, which is the longest string of V8. */
const MAX_DECOMPRESSED_BYTES = 512 * 1_048_576;
/** The fastest level; no other level makes a journal batch smaller by more than 6 %. */
const LEVEL = 1;

const deflateLater = promisify(deflateRaw);
const inflateLater = promisify(inflateRaw);

/**
 * Compresses marked payloads, and decompresses those in the input of an activity, which only a workflow creates. Elsewhere a
 * compressed payload is unchanged and therefore not readable as JSON: in a signal, a query or a start, an untrusted client
 * could send a small payload that becomes very large.
 */
export const compressionCodec: PayloadCodec = {
  encode: async (payloads) => await Promise.all(payloads.map(async (payload) => await compressPayload(payload))),
  decode: async (payloads, context?: SerializationContext) =>
    context?.type === 'activity'
      ? await Promise.all(payloads.map(async (payload) => await decompressPayload(payload)))
      : payloads,
};

const NO_BYTES = new Uint8Array();

async function compressPayload(payload: Payload): Promise<Payload> {
  const { [MARK]: mark, encoding = NO_BYTES, ...others } = payload.metadata ?? {};
  if (!mark) return payload;
  const data = payload.data ?? NO_BYTES;
  return {
    metadata: { ...others, encoding: DEFLATE, [INNER]: encoding },
    data:
      data.length > MAX_SYNC_BYTES
        ? await deflateLater(data, { level: LEVEL })
        : deflateRawSync(data, { level: LEVEL }),
  };
}

/** @throws RangeError or a zlib error when the data is damaged or becomes too large */
async function decompressPayload(payload: Payload): Promise<Payload> {
  const { [INNER]: inner = NO_BYTES, encoding = NO_BYTES, ...others } = payload.metadata ?? {};
  if (!DEFLATE.equals(encoding)) return payload;
  const data = payload.data ?? NO_BYTES;
  const options = { maxOutputLength: MAX_DECOMPRESSED_BYTES };
  return {
    metadata: { ...others, encoding: inner },
    data: data.length > MAX_SYNC_BYTES ? await inflateLater(data, options) : inflateRawSync(data, options),
  };
}
