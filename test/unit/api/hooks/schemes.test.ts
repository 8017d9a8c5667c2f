import { describe, expect, test } from 'vitest';
import { SCHEMES } from '../../../../src/api/hooks/schemes.ts';
import type { SignedRequest } from '../../../../src/api/hooks/schemes.ts';
import { SIGN } from '../../../support/builders/signed-messages.ts';
import type { SignedMessage } from '../../../support/builders/signed-messages.ts';
import type { HookScheme } from '../../../../src/store/hook.ts';

const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const BODY = '{"id":"evt_1","event_id":"Ev1","text":"ü"}';
const NAMES = ['standard', 'github', 'stripe', 'slack'] as const;
const TIMED = ['standard', 'stripe', 'slack'] as const;

const toRequest = ({ headers, body }: SignedMessage): SignedRequest => ({
  headers: new Headers(headers),
  bytes: Buffer.from(body),
  atMs: Date.now(),
});
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
const isSigned = (scheme: HookScheme, message: SignedMessage, secret = SECRET): boolean =>
  SCHEMES[scheme].isSigned(secret, toRequest(message));

describe.each(NAMES)('a message of %s', (scheme) => {
  const message: SignedMessage = SIGN[scheme](BODY, { secret: SECRET, id: 'msg_1' });

  test('an inbound webhook message is accepted with its signature alone', () => {
    expect(isSigned(scheme, message)).toBe(true);
    expect(isSigned(scheme, { ...message, body: `${BODY} ` })).toBe(false);
    expect(isSigned(scheme, message, 'whsec_AAEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=')).toBe(false);
  });

  test('an inbound webhook message is not accepted without a signature, or with part of one', () => {
    for (const [name, value] of Object.entries(message.headers).filter(([key]) => key.includes('signature'))) {
      const { [name]: _signature, ...others } = message.headers;
      expect(isSigned(scheme, { ...message, headers: others })).toBe(false);
      for (const wrong of [value.slice(0, -2), `${value}00`, value.replace(/=.*/, ''), 'x', value.replace(/^.../, '')])
        expect(isSigned(scheme, { ...message, headers: { ...others, [name]: wrong } })).toBe(false);
    }
  });

  test('a repeated inbound webhook message has the same id', () => {
    const idOf = (id: string): string =>
      SCHEMES[scheme].messageIdOf(
        toRequest(SIGN[scheme](BODY, { secret: SECRET, id, at: minutesAgo(1) })),
        JSON.parse(BODY),
      );
    expect(idOf('msg_1')).toBe(SCHEMES[scheme].messageIdOf(toRequest(message), JSON.parse(BODY)));
  });
});

test.each(TIMED)('an inbound webhook message of %s is refused when it is too old or in the future', (scheme) => {
  const at = (minutes: number): boolean =>
    isSigned(scheme, SIGN[scheme](BODY, { secret: SECRET, id: 'msg_1', at: minutesAgo(minutes) }));
  expect([4.9, 5.1, -5.1].map(at)).toEqual([true, false, false]);
});

test('the time of an inbound webhook message is part of its signature', () => {
  const { headers, body } = SIGN.slack(BODY, { secret: SECRET, id: '', at: minutesAgo(4) });
  const now = String(Math.floor(Date.now() / 1_000));
  expect(isSigned('slack', { headers: { ...headers, 'x-slack-request-timestamp': now }, body })).toBe(false);
  const stripe = SIGN.stripe(BODY, { secret: SECRET, id: '', at: minutesAgo(10) }).headers['stripe-signature'];
  expect(isSigned('stripe', { headers: { 'stripe-signature': `t=${now},${stripe}` }, body })).toBe(false);
});

test('one valid signature of several is enough for an inbound webhook message', () => {
  const { headers } = SIGN.stripe(BODY, { secret: SECRET, id: '' });
  const signature = headers['stripe-signature'].replace(',v1=', `,v1=${'0'.repeat(64)},v1=`);
  expect(isSigned('stripe', { headers: { 'stripe-signature': signature }, body: BODY })).toBe(true);
});

test('an inbound webhook message without an id is identified by its signed content, however the signature is written', () => {
  const { headers, body } = SIGN.stripe('{}', { secret: SECRET, id: '' });
  const idOf = (signature: string, text = body): string =>
    SCHEMES.stripe.messageIdOf(toRequest({ headers: { 'stripe-signature': signature }, body: text }), {});
  expect(idOf(`${headers['stripe-signature']},v1=00`)).toBe(idOf(headers['stripe-signature']));
  expect(idOf(headers['stripe-signature'], '{ }')).not.toBe(idOf(headers['stripe-signature']));
});

describe('the header names of Svix', () => {
  const { headers: ofStandard, body } = SIGN.standard(BODY, { secret: SECRET, id: 'msg_1' });
  const { headers: ofSvix } = SIGN.svix(BODY, { secret: SECRET, id: 'msg_1' });
  const other = SIGN.svix(BODY, { secret: SECRET, id: 'msg_2' }).headers;
  const { 'svix-id': id = '', 'svix-timestamp': timestamp = '', 'svix-signature': signature = '' } = ofSvix;

  test.each([
    ['of Svix alone', ofSvix, true],
    ['of both that say the same', { ...ofStandard, ...ofSvix }, true],
    ['of both with another id', { ...ofStandard, ...other }, false],
    [
      'of both with another id, in the other order',
      { ...SIGN.standard(BODY, { secret: SECRET, id: 'msg_2' }).headers, ...ofSvix },
      false,
    ],
    ['of Svix beside an incomplete set', { ...ofSvix, 'webhook-id': 'msg_1' }, false],
    ['of Standard Webhooks beside an incomplete set', { ...ofStandard, 'svix-id': 'msg_1' }, false],
    [
      'with an id of the one set and a signature of the other',
      { 'svix-id': id, 'svix-timestamp': timestamp, 'webhook-signature': signature },
      false,
    ],
    ['of Svix with an empty id', { ...ofSvix, 'svix-id': '' }, false],
  ])('headers %s', (_which, headers, isAccepted) => {
    expect(isSigned('standard', { headers, body })).toBe(isAccepted);
  });

  test('a message is refused when it is too old or in the future', () => {
    const at = (minutes: number): boolean =>
      isSigned('standard', SIGN.svix(BODY, { secret: SECRET, id: 'msg_1', at: minutesAgo(minutes) }));
    expect([4.9, 5.1, -5.1].map(at)).toEqual([true, false, false]);
  });

  test('a message has the same id under both sets of names', () => {
    const idOf = (headers: Readonly<Record<string, string>>): string =>
      SCHEMES.standard.messageIdOf(toRequest({ headers, body }), JSON.parse(BODY));
    expect([idOf(ofSvix), idOf(ofStandard), idOf(other)]).toEqual(['msg_1', 'msg_1', 'msg_2']);
  });
});

test('a stored secret of Standard Webhooks is base64', () => {
  expect(SCHEMES.standard.faultOf(SECRET)).toBe(null);
  expect(SCHEMES.standard.faultOf('whsec_not base64!')).toMatch(/base64/);
  expect(isSigned('standard', SIGN.standard(BODY, { secret: SECRET, id: 'msg_1' }), 'whsec_not base64!')).toBe(false);
});
