import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { createAesGcmCodec } from '../../../../examples/encryption/aes-gcm-codec.ts';
import { createSignalReader } from '../../../../src/process/payloads/read-signal.ts';
import type { ReceivingExecution } from '../../../../src/process/payloads/read-signal.ts';
import { toStoredBlob } from '../../../../src/process/payloads/stored-payload.ts';
import { aReference, aStoreOf } from '../../../support/builders/signal-payloads.ts';

/* A payload that can't be read for sure is a value that says so; of one that can't be read now it is not known yet. */

const LIVE: ReceivingExecution = { namespace: 'default', workflowId: 'run:acme:R1', isReplaying: false };
const REPLAY: ReceivingExecution = { ...LIVE, isReplaying: true };
const OWN = 'run:acme:R1/digest';

const sound: Payload = defaultPayloadConverter.toPayload({ reason: 'ok' });
const valueOf = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload);
const because = (reason: string) => ({ $unreadable: reason });

describe('a payload by reference', () => {
  const huge = defaultPayloadConverter.toPayload({ reason: 'x'.repeat(5_000_000) });
  const stored = () =>
    aStoreOf({
      [OWN]: toStoredBlob(sound),
      'run:acme:R1/huge': toStoredBlob(huge),
      'run:acme:R1/nested': toStoredBlob(aReference({ id: OWN })),
      'run:other:R2/digest': toStoredBlob(sound),
    });
  const cases: readonly (readonly [what: string, payload: Payload, value: unknown])[] = [
    ['that is inline and small', sound, { reason: 'ok' }],
    ['to a payload of the same workflow', aReference({ id: OWN }), { reason: 'ok' }],
    ['to a payload of 5 MB', aReference({ id: 'run:acme:R1/huge' }), { reason: 'x'.repeat(5_000_000) }],
    ['to a missing payload', aReference({ id: 'run:acme:R1/gone' }), because('what it refers to is not in the store')],
    [
      'to a payload of another tenant',
      aReference({ id: 'run:other:R2/digest' }),
      because('it refers to what is not of this run'),
    ],
    [
      'with an id that only begins alike',
      aReference({ id: 'run:acme:R11/digest' }),
      because('it refers to what is not of this run'),
    ],
    ['without an id', aReference({}), because('it is a broken reference')],
    ['of another driver', aReference({ id: OWN }, 's3'), because('it is a broken reference')],
    ['without a driver', aReference({ id: OWN }, ''), because('it is a broken reference')],
    ['that is no JSON', { ...aReference({ id: OWN }), data: Buffer.from('{') }, because('it is a broken reference')],
    ['without data', { metadata: aReference({}).metadata ?? {} }, because('it is a broken reference')],
    ['to another reference', aReference({ id: 'run:acme:R1/nested' }), because('it refers to another reference')],
  ];

  test.each(cases)('a signal’s payload by reference %s', async (_what, payload, value) => {
    expect(valueOf(await createSignalReader(stored(), [])(payload, LIVE))).toEqual(value);
  });

  test.each(cases)('a signal’s payload by reference %s is the same in a replay', async (_what, payload, value) => {
    const store = stored();
    await createSignalReader(store, [])(payload, LIVE);
    expect(valueOf(await createSignalReader(store, [])(payload, REPLAY))).toEqual(value);
  });

  test('a signal’s payload that was missing stays unreadable even if it is stored later', async () => {
    const store = aStoreOf({});
    const read = createSignalReader(store, []);
    const missing = because('what it refers to is not in the store');
    expect(valueOf(await read(aReference({ id: OWN }), LIVE))).toEqual(missing);
    await store.put([{ id: OWN, workflowId: LIVE.workflowId, ...toStoredBlob(sound) }]);
    expect(valueOf(await read(aReference({ id: OWN }), LIVE))).toEqual(missing);
    expect(valueOf(await read(aReference({ id: OWN }), REPLAY))).toEqual(missing);
  });

  test('a signal’s payload that is stored while it is recorded as missing is read', async () => {
    const store = aStoreOf({});
    const put: typeof store.put = async (payloads) => {
      await store.put([{ id: OWN, workflowId: LIVE.workflowId, ...toStoredBlob(sound) }]);
      await store.put(payloads);
    };
    expect(valueOf(await createSignalReader({ ...store, put }, [])(aReference({ id: OWN }), LIVE))).toEqual({
      reason: 'ok',
    });
  });

  test('a signal’s payload that was read before and is deleted fails the replay', async () => {
    await expect(createSignalReader(aStoreOf({}), [])(aReference({ id: OWN }), REPLAY)).rejects.toThrow(
      'could be read before',
    );
  });

  test('a signal’s payload stays readable when the store is unavailable', async () => {
    const away = { ...aStoreOf({}), find: () => Promise.reject(new Error('ECONNREFUSED')) };
    await expect(createSignalReader(away, [])(aReference({ id: OWN }), LIVE)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a payload that codecs read', () => {
  const keys = { old: Buffer.alloc(32, 1), new: Buffer.alloc(32, 2) };
  const codec = createAesGcmCodec(keys, 'new');
  const withoutOld = createAesGcmCodec({ new: keys.new }, 'new');
  const encodedBy = async (by: PayloadCodec, payload = sound): Promise<Payload> =>
    (await by.encode([payload]))[0] ?? {};
  const seenBy = async (by: PayloadCodec, payload: Payload): Promise<unknown> => {
    const [decoded = {}] = await by.decode([payload]);
    return valueOf(decoded);
  };
  const broken: PayloadCodec = {
    encode: async () => Promise.reject(new Error('no key service')),
    decode: async () => Promise.reject(new Error('no key service')),
  };

  test('a signal’s payload stays encoded by the payload codecs', async () => {
    const read = createSignalReader(aStoreOf({}), [codec]);
    expect(await seenBy(codec, await read(await encodedBy(codec), LIVE))).toEqual({ reason: 'ok' });
    expect(await seenBy(codec, await read(sound, LIVE))).toEqual({ reason: 'ok' });
  });

  test('a signal’s payload is unreadable when the payload codecs throw, even after its key is added', async () => {
    const store = aStoreOf({});
    const secret = await encodedBy(createAesGcmCodec(keys, 'old'));
    const unknown = because('the codecs do not know it');
    expect(await seenBy(withoutOld, await createSignalReader(store, [withoutOld])(secret, LIVE))).toEqual(unknown);
    expect(await seenBy(codec, await createSignalReader(store, [codec])(secret, LIVE))).toEqual(unknown);
    expect(await seenBy(codec, await createSignalReader(store, [codec])(secret, REPLAY))).toEqual(unknown);
  });

  test('a signal’s payload is unreadable when the payload codecs throw, also for a reference', async () => {
    const store = aStoreOf({ [OWN]: toStoredBlob(await encodedBy(createAesGcmCodec(keys, 'old'))) });
    const marked = await createSignalReader(store, [withoutOld])(aReference({ id: OWN }), LIVE);
    expect(await seenBy(withoutOld, marked)).toEqual(because('the codecs do not know it'));
  });

  test('a signal’s payload that was read before fails the replay when its encryption key is deleted', async () => {
    const secret = await encodedBy(createAesGcmCodec(keys, 'old'));
    await expect(createSignalReader(aStoreOf({}), [withoutOld])(secret, REPLAY)).rejects.toThrow(
      'There is no key "old"',
    );
  });

  test('a signal’s payload stays readable when the payload codecs have no keys at all', async () => {
    const read = createSignalReader(aStoreOf({}), [broken]);
    await expect(read(sound, LIVE)).rejects.toThrow('no key service');
  });

  test('a signal’s payload is unreadable when the payload codecs make two payloads of it', async () => {
    const doubling = {
      ...codec,
      decode: async (all: Payload[]) => (all[0] === sound ? [sound, sound] : await codec.decode(all)),
    };
    const marked = await createSignalReader(aStoreOf({}), [doubling])(sound, LIVE);
    expect(await seenBy(codec, marked)).toEqual(because('the codecs do not know it'));
  });
});
