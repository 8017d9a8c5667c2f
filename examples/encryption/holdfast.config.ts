import { defineConfig } from 'holdfast';
import { createAesGcmCodec } from './aes-gcm-codec.ts';

const { HOLDFAST_PAYLOAD_KEY = '' } = process.env;

/** Every API and every worker needs the same keys. */
export default defineConfig({
  codecs: [createAesGcmCodec({ 'key-1': Buffer.from(HOLDFAST_PAYLOAD_KEY, 'base64') }, 'key-1')],
});
