/** No piece but the last is smaller. */
const MIN_BYTES = 65_536;
/** No piece is larger. */
const MAX_BYTES = 524_288;
/** A place in 2^16 is a cut, beyond the least size. */
const CUT_MASK = 0xff_ff_00_00;
/** Bytes that decide whether a place is a cut: what comes before has left the hash. */
const WINDOW = 32;

/**
 * Cuts bytes where they themselves say so: what is added or taken out changes the pieces around it, and no others. (FastCDC,
 * Xia et al. 2016.)
 */
export function* cutByContent(data: Uint8Array): Generator<Uint8Array, void> {
  for (let begin = 0; begin < data.length;) {
    const end = endOfPiece(data, begin);
    yield data.subarray(begin, end);
    begin = end;
  }
}

function endOfPiece(data: Uint8Array, begin: number): number {
  const last = Math.min(begin + MAX_BYTES, data.length);
  let hash = 0;
  for (let at = begin + MIN_BYTES - WINDOW; at < last; at += 1) {
    hash = ((hash << 1) + (GEAR[data[at] ?? 0] ?? 0)) | 0;
    if ((hash & CUT_MASK) === 0 && at >= begin + MIN_BYTES) return at;
  }
  return last;
}

/** A number without a pattern for each byte, the same in every process. */
const GEAR = Int32Array.from({ length: 256 }, (_, byte) => scatter(scatter(byte + 1)));

function scatter(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85_eb_ca_6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2_b2_ae_35);
  return second ^ (second >>> 16);
}
