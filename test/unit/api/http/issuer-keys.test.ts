import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createAuthenticate } from '../../../../src/api/http/authenticate.ts';
import { answer, hangUp, json, startLoopbackServer } from '../../../support/doubles/loopback-server.ts';
import type { Answer, LoopbackServer } from '../../../support/doubles/loopback-server.ts';
import { startTestApi } from '../../../support/servers/test-api.ts';
import type { TestApi } from '../../../support/servers/test-api.ts';

/* An outage of the issuer's key set is no fault of the caller: 503, and known keys go on to count. */

const MINUTE_MS = 60_000;

interface Key {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

let issuer: LoopbackServer;
let api: TestApi;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  issuer = await startLoopbackServer();
  const keys = new URL(`${issuer.url}/keys`);
  const claims = { tenant: 'tenant', roles: 'roles' };
  api = await startTestApi(
    {},
    { authenticate: createAuthenticate({ issuer: 'us', audience: 'holdfast', keys, claims }) },
  );
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all([issuer.stop(), api.stop()]);
});

async function aKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' } };
}

const published = (...keys: readonly Key[]): Answer =>
  answer(200, { 'content-type': 'application/json' }, JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));

/** Sends a request with a token that the key has just signed. */
async function ask({ kid, privateKey }: Key) {
  const token = await new SignJWT({ tenant: 'demo', roles: ['user'] })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer('us')
    .setAudience('holdfast')
    .setSubject('uma')
    .setIssuedAt(Math.floor(Date.now() / 1_000))
    .setExpirationTime(Math.floor(Date.now() / 1_000) + 60)
    .sign(privateKey);
  const { status, headers } = await api.request('/api/runs', { headers: { authorization: `Bearer ${token}` } });
  return { status, retryAfter: headers.get('retry-after') };
}

function pass(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

const ACCEPTED = { status: 200, retryAfter: null };
const AWAY = { status: 503, retryAfter: expect.stringMatching(/^\d+$/) };
const REFUSED = { status: 401, retryAfter: null };

const OUTAGES: readonly (readonly [string, Answer])[] = [
  ['refuses', answer(503)],
  ['is missing', answer(404)],
  ['hangs up', hangUp],
  ['answers a page', answer(200, { 'content-type': 'text/html' }, '<h1>Sorry</h1>')],
  ['answers no key set', json({ error: 'later' })],
];

test.each(OUTAGES)('a key set that %s costs tokens of unknown keys a 503, until it is back', async (_how, outage) => {
  const [known, next] = [await aKey('known'), await aKey('next')];
  issuer.answers(published(known));
  expect(await ask(known)).toEqual(ACCEPTED);
  pass(MINUTE_MS);
  issuer.answers(outage);
  expect(await ask(next)).toEqual(AWAY);
  expect(await ask(known)).toEqual(ACCEPTED);
  issuer.answers(published(known, next));
  expect(await ask(next)).toEqual(ACCEPTED);
});

test('a token of a key that the issuer does not publish is refused with 401', async () => {
  const [known, strange] = [await aKey('known'), await aKey('strange')];
  issuer.answers(published(known), published(known));
  expect(await ask(known)).toEqual(ACCEPTED);
  pass(MINUTE_MS);
  expect(await ask(strange)).toEqual(REFUSED);
});

test('an API that has read no keys yet answers 503', async () => {
  const known = await aKey('known');
  issuer.answers(answer(503));
  expect(await ask(known)).toEqual(AWAY);
  issuer.answers(published(known));
  expect(await ask(known)).toEqual(ACCEPTED);
});

test('known keys count for an hour of an outage', async () => {
  const known = await aKey('known');
  issuer.answers(published(known));
  expect(await ask(known)).toEqual(ACCEPTED);
  issuer.answers(...Array.from({ length: 20 }, () => answer(503)));
  for (const minutes of [11, 20, 28]) {
    pass(minutes * MINUTE_MS);
    expect(await ask(known)).toEqual(ACCEPTED);
  }
  pass(2 * MINUTE_MS);
  expect(await ask(known)).toEqual(AWAY);
});

test('a key that the issuer has withdrawn does not count for more than ten minutes', async () => {
  const [old, next] = [await aKey('old'), await aKey('next')];
  issuer.answers(published(old), published(next));
  expect(await ask(old)).toEqual(ACCEPTED);
  pass(11 * MINUTE_MS);
  expect(await ask(old)).toEqual(REFUSED);
  expect(await ask(next)).toEqual(ACCEPTED);
});

test('during an outage the keys are asked for every half minute, not by every request', async () => {
  const known = await aKey('known');
  issuer.answers(published(known));
  await ask(known);
  pass(11 * MINUTE_MS);
  issuer.answers(answer(503), answer(503), answer(503));
  for (let request = 0; request < 5; request++) expect(await ask(known)).toEqual(ACCEPTED);
  expect(issuer.requests).toHaveLength(2);
  pass(MINUTE_MS);
  await ask(known);
  expect(issuer.requests).toHaveLength(3);
});
