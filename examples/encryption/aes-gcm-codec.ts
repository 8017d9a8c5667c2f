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

function encrypt(payload: Payload, id: string, key: Buffer): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const hidden = [cipher.update(toText(payload)), cipher.final()];
  return {
    metadata: { encoding: ENCODING, 'encryption-key-id': Buffer.from(id) },
    data: Buffer.concat([nonce, cipher.getAuthTag(), ...hidden]),
  };
}

/** Returns payloads as they are that are not encrypted, such as signals of Temporal's command line, or are forged. */
function decrypt(payload: Payload, keyOf: (id: string) => Buffer): Payload {
  const { metadata, data } = payload;
  const encoding = metadata?.['encoding'];
  if (!data || !encoding || !ENCODING.equals(encoding)) return payload;
  const key = keyOf(Buffer.from(metadata['encryption-key-id'] ?? []).toString());
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  try {
    decipher.setAuthTag(data.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const shown = [decipher.update(data.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return fromText(Buffer.concat(shown).toString());
  } catch {
    return payload;
  }
}

/** Payloads as JSON, their bytes in Base64. */
function toText({ metadata, data }: Payload): string {
  const texts = Object.entries(metadata ?? {}).map(([name, value]) => [name, toBase64(value)]);
  return JSON.stringify({ metadata: texts, data: toBase64(data ?? new Uint8Array()) });
}

function fromText(text: string): Payload {
  const { metadata, data } = JSON.parse(text) as { readonly metadata: [string, string][]; readonly data: string };
  const bytes = metadata.map(([name, value]) => [name, Buffer.from(value, 'base64')] as const);
  return { metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
