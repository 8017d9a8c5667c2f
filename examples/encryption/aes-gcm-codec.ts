import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';

type Payload = Parameters<PayloadCodec['encode']>[0][number];

const ENCODING = Buffer.from('binary/encrypted');
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts payloads with AES-256-GCM. A nonce is random, so a key must be changed before some four billion payloads.
 * @param keys 32 bytes each, by id; old keys stay as long as there are runs that used them
 * @param current the id of the key for new payloads
 */
export function createAesGcmCodec(keys: Readonly<Record<string, Buffer>>, current: string): PayloadCodec {
  const keyOf = (id: string): Buffer => {
    const key = Object.hasOwn(keys, id) ? keys[id] : undefined;
    if (!key) throw new Error(`There is no key "${id}" for payloads`);
    return key;
  };
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(payload, current, keyOf(current))),
    decode: async (payloads) => payloads.map((payload) => decrypt(payload, keyOf)),
  };
}

/** The metadata of a payload only describes the encoding of its data, so it stays readable. */
function encrypt({ metadata, data }: Payload, id: string, key: Buffer): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const hidden = [cipher.update(data ?? new Uint8Array()), cipher.final()];
  const original = metadata?.['encoding'] ?? new Uint8Array();
  return {
    metadata: {
      ...metadata,
      encoding: ENCODING,
      'original-encoding': original,
      'encryption-key-id': Buffer.from(id),
    },
    data: Buffer.concat([nonce, cipher.getAuthTag(), ...hidden]),
  };
}

/**
 * Returns payloads unchanged that are not encrypted, such as signals of Temporal's command line, or that are forged.
 */
function decrypt(payload: Payload, keyOf: (id: string) => Buffer): Payload {
  const { encoding, 'original-encoding': original, 'encryption-key-id': id, ...metadata } = payload.metadata ?? {};
  const { data } = payload;
  if (!data || !encoding || !original || !id || !ENCODING.equals(encoding)) return payload;
  const key = keyOf(Buffer.from(id).toString());
  try {
    const nonce = data.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(data.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const decrypted = [decipher.update(data.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return { metadata: { ...metadata, encoding: original }, data: Buffer.concat(decrypted) };
  } catch {
    return payload;
  }
}
