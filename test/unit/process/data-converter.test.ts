import { describe, expect, test } from 'vitest';
import { createAesGcmCodec } from '../../../examples/encryption/aes-gcm-codec.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { compressionCodec } from '../../../src/process/payloads/compression.ts';
import { createDataConverter } from '../../../src/process/data-converter.ts';

const keys = { old: Buffer.alloc(32, 1), new: Buffer.alloc(32, 2) };
const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"canary"') };
const textOf = ({ data }: { data?: Uint8Array | null }): string => Buffer.from(data ?? []).toString();

describe('codecs', () => {
  test('of the configuration are used by the data converter', () => {
    const codec = createAesGcmCodec(keys, 'new');
    const { codecs } = parseConfig('x', { codecs: [codec] });
    const store = { put: async () => undefined, get: async () => [], find: async () => new Map() };
    expect(createDataConverter(store, codecs).payloadCodecs).toEqual([compressionCodec, codec]);
  });

  test.each([{}, { encode: () => [] }, 7, null])('%j is no codec', (codec) => {
    expect(() => parseConfig('x', { codecs: [codec] })).toThrow('must be an object with the methods encode and decode');
  });
});

describe('the AES-GCM codec of the examples', () => {
  const codec = createAesGcmCodec(keys, 'new');

  test('encrypts payloads, and decrypts them after a change of the key', async () => {
    const [hidden = {}] = await createAesGcmCodec(keys, 'old').encode([payload]);
    expect(textOf(hidden)).not.toContain('canary');
    expect(await codec.decode([hidden])).toEqual([payload]);
  });

  test('leaves plain and forged payloads as they are', async () => {
    const [hidden = {}] = await codec.encode([payload]);
    const forged = { ...hidden, data: Buffer.alloc(40) };
    expect(await codec.decode([payload, forged])).toEqual([payload, forged]);
  });

  test('names a key that is missing', async () => {
    const hidden = await createAesGcmCodec(keys, 'old').encode([payload]);
    await expect(createAesGcmCodec({ new: keys.new }, 'new').decode(hidden)).rejects.toThrow('There is no key "old"');
  });
});
