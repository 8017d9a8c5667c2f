import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { payloadConverter } from '../../../src/workflows/payload-converter.ts';

const read = (json: string): unknown =>
  payloadConverter.fromPayload({ ...defaultPayloadConverter.toPayload(null), data: Buffer.from(json) });

test('an integer in a payload that a double does not keep is read as the text of its digits', () => {
  const decision = '{"decision":"approve","args":{"order":1234567890123456789,"amount":5}}';
  expect(read(decision)).toEqual({ decision: 'approve', args: { order: '1234567890123456789', amount: 5 } });
});

test.each(['{"a":"1234567890123456789"}', '{"a":9007199254740991,"b":0.12345678901234567}', '["1234567890123456"]'])(
  'other JSON payloads are read unchanged: %s',
  (json) => {
    expect(read(json)).toEqual(JSON.parse(json));
  },
);

test('a payload of broken JSON is read as unreadable', () => {
  expect(read('{"a":1234567890123456789')).toEqual({ $unreadable: 'it is no JSON' });
});

test('a payload of JSON that is nested too deeply to be copied is read unchanged', () => {
  const json = `${'['.repeat(500)}"1234567890123456"${']'.repeat(500)}`;
  expect(JSON.stringify(read(json))).toBe(json);
});
