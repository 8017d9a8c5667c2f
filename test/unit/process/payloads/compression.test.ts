import { deflateRawSync } from 'node:zlib';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { compressionCodec } from '../../../../src/process/payloads/compression.ts';
import { markCompressed, payloadConverter } from '../../../../src/workflows/payload-converter.ts';

const marked = (value: object): Payload => payloadConverter.toPayload(markCompressed(value));
const batch = { events: Array.from({ length: 50 }, (_, seq) => ({ seq, type: 'node.completed', node: 'pay' })) };

const encodingOf = ({ metadata }: Payload): string => Buffer.from(metadata?.['encoding'] ?? []).toString();
const ACTIVITY = { type: 'activity', namespace: 'default', isLocal: false } as const;

async function encoded(payload: Payload): Promise<Payload> {
  const [only = {}] = await compressionCodec.encode([payload]);
  return only;
}

async function decoded(payload: Payload): Promise<Payload> {
  const [only = {}] = await compressionCodec.decode([payload], ACTIVITY);
  return only;
}

describe('a value that a workflow has marked for compression', () => {
  test.each([
    ['small', batch],
    ['large', { text: Array.from({ length: 20_000 }, (_, number) => `${number}`).join(' ') }],
    ['an empty object', {}],
  ])('a payload that a workflow has marked is compressed and read back unchanged: %s', async (_size, value) => {
    const sent = await encoded(marked({ ...value }));
    expect(encodingOf(sent)).toBe('holdfast/deflate');
    expect(payloadConverter.fromPayload(await decoded(sent))).toEqual(value);
  });

  test('compressed payloads of similar events take less than a fifth of their size', async () => {
    const plain = payloadConverter.toPayload(batch);
    const sent = await encoded(marked({ ...batch }));
    expect((sent.data?.length ?? 0) * 5).toBeLessThan(plain.data?.length ?? 0);
  });
});

test.each([
  ['a value', payloadConverter.toPayload({ a: 1 })],
  ['a value of another client', defaultPayloadConverter.toPayload('a')],
  ['no value', {}],
])('a payload without the workflow’s mark is not compressed: %s', async (_what, payload) => {
  expect(await encoded(payload)).toBe(payload);
  expect(await decoded(payload)).toBe(payload);
});

test.each([
  ['damaged', Buffer.from('no deflate'), 'invalid'],
  ['cut off', deflateRawSync(Buffer.alloc(1_000, 'a')).subarray(0, 4), 'unexpected end of file'],
])('compressed payload data that is %s is an error', async (_how, data, message) => {
  await expect(
    compressionCodec.decode([{ metadata: { encoding: Buffer.from('holdfast/deflate') }, data }], ACTIVITY),
  ).rejects.toThrow(message);
});

test.each([
  ['the payloads of a workflow', { type: 'workflow', namespace: 'default', workflowId: 'run:acme:R1' } as const],
  ['payloads without a context', undefined],
])('a compressed payload is not decompressed when it is among %s', async (_where, context) => {
  const bomb = {
    metadata: { encoding: Buffer.from('holdfast/deflate') },
    data: deflateRawSync(Buffer.alloc(10_000_000, ' ')),
  };
  expect(await compressionCodec.decode([bomb], context)).toEqual([bomb]);
});
