import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRaw, inflateRawSync } from 'node:zlib';
import type { Payload, PayloadCodec, SerializationContext } from '@temporalio/common';

/** The mark of payloads to compress; `workflows/payload-converter.ts` sets it. */
const MARK = 'holdfast-compress';
/** The encoding of a compressed payload: raw DEFLATE (RFC 1951) of the data. */
const DEFLATE = Buffer.from('holdfast/deflate');
/** Metadata of a compressed payload: the encoding of its data. */
const INNER = 'holdfast-encoding';

/** Larger data is compressed in a thread, so that the event loop stays free. */
const MAX_SYNC_BYTES = 65_536;
/** Limit of decompressed data: the longest string of V8. */
const MAX_BYTES = 512 * 1_048_576;
/** The fastest level; no other level makes a journal batch smaller by more than 6 %. */
const LEVEL = 1;

const deflateLater = promisify(deflateRaw);
const inflateLater = promisify(inflateRaw);

/**
 * Compresses the payloads that are marked for it, and reads compressed ones in the input of an activity: only a workflow
 * makes these. Elsewhere a compressed payload stays as it is, and so becomes no JSON: what an untrusted client has sent
 * as a signal, a query or a start could be small and become large.
 */
export const compression: PayloadCodec = {
  encode: async (payloads) => await Promise.all(payloads.map(async (payload) => await compress(payload))),
  decode: async (payloads, context?: SerializationContext) =>
    context?.type === 'activity'
      ? await Promise.all(payloads.map(async (payload) => await decompress(payload)))
      : payloads,
};

const NOTHING = new Uint8Array();

async function compress(payload: Payload): Promise<Payload> {
  const { [MARK]: mark, encoding = NOTHING, ...others } = payload.metadata ?? {};
  if (!mark) return payload;
  const data = payload.data ?? NOTHING;
  return {
    metadata: { ...others, encoding: DEFLATE, [INNER]: encoding },
    data:
      data.length > MAX_SYNC_BYTES
        ? await deflateLater(data, { level: LEVEL })
        : deflateRawSync(data, { level: LEVEL }),
  };
}

/** @throws RangeError or a zlib error when the data is damaged or becomes too large */
async function decompress(payload: Payload): Promise<Payload> {
  const { [INNER]: inner = NOTHING, encoding = NOTHING, ...others } = payload.metadata ?? {};
  if (!DEFLATE.equals(encoding)) return payload;
  const data = payload.data ?? NOTHING;
  const options = { maxOutputLength: MAX_BYTES };
  return {
    metadata: { ...others, encoding: inner },
    data: data.length > MAX_SYNC_BYTES ? await inflateLater(data, options) : inflateRawSync(data, options),
  };
}
