import { expect, test } from 'vitest';
import { isWebhookSecret, newWebhookSecret, signatureHeaders } from '../../../../src/api/webhooks/standard-webhooks.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const BODY = '{"type":"run.completed","timestamp":"2026-11-23T00:00:00Z","data":{"runId":"01J"}}';
const headersOf = (...secrets: readonly string[]) => signatureHeaders(secrets, 'msg_01JTEST', BODY, 1_790_000_000_999);

test('a message has the signature of other implementations', () => {
  expect(headersOf(SECRET)).toEqual({
    'webhook-id': 'msg_01JTEST',
    'webhook-timestamp': '1790000000',
    'webhook-signature': 'v1,iC/0VJJocyKLkG68HhqNVeUqa7akmDgtIEZjOkZCGQU=',
  });
});

test('without a secret there is no signature', () => {
  expect(headersOf()).not.toHaveProperty('webhook-signature');
});

const secretOf = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`;

test.each<[string, boolean]>([
  [newWebhookSecret(), true],
  [secretOf(24), true],
  [secretOf(64), true],
  [secretOf(23), false],
  [secretOf(65), false],
  [secretOf(32).slice(0, -1), false],
  [secretOf(32).slice(6), false],
  ['whsec_', false],
  [`whsec_${'ä'.repeat(44)}`, false],
])('%s is a valid secret: %s', (text, expected) => {
  expect(isWebhookSecret(text)).toBe(expected);
});

test('no two generated secrets are the same', () => {
  expect(newWebhookSecret()).not.toBe(newWebhookSecret());
});
