import { createPublicKey } from 'node:crypto';
import { exportJWK, generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApiClient } from '../support/readers/api-client.ts';
import type { ApiAnswer, ApiClient } from '../support/readers/api-client.ts';
import { readDescription } from '../support/readers/api-description.ts';
import type { ApiDescription } from '../support/readers/api-description.ts';
import { startIssuingStack } from '../support/servers/issuing-stack.ts';
import type { TokenChanges, IssuingStack } from '../support/servers/issuing-stack.ts';
import { startLoopbackServer } from '../support/doubles/loopback-server.ts';
import { aProblem } from '../support/readers/problems.ts';

let stack: IssuingStack;
let stranger: ApiClient;
let api: ApiDescription;
beforeAll(async () => {
  stack = await startIssuingStack();
  const plain = createApiClient(stack.baseUrl, null);
  api = await readDescription(plain);
  stranger = api.watch(plain);
});
afterAll(async () => {
  await stack.stop();
});

const soon = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const bearing = async (token: string): Promise<ApiAnswer> =>
  await stranger.get('/api/runs', { authorization: `Bearer ${token}` });

describe('a valid token', () => {
  test.each<[string, TokenChanges]>([
    ['as the issuer signs it', {}],
    ['for several audiences', { claims: { aud: ['billing', 'holdfast'] } }],
    ['with a tenant name that contains every allowed kind of character', { claims: { tenant: 'A.b_c-9' } }],
    ['with a tenant name of the maximum length', { claims: { tenant: 't'.repeat(63) } }],
    ['whose nbf lies in the past', { claims: { nbf: soon(-60) } }],
    ['with unknown claims', { claims: { department: 'refunds' } }],
  ])('a valid token %s is accepted', async (_what, forgery) => {
    expect(await bearing(await stack.forge(forgery))).toMatchObject({ status: 200 });
  });

  test('a token is accepted with its scheme in upper or lower case', async () => {
    expect(await stranger.get('/api/runs', { authorization: `bearer ${await stack.forge()}` })).toMatchObject({
      status: 200,
    });
  });

  test.each([[['emperor']], [[]], [undefined], ['user'], [{ user: true }]])(
    'a token with roles %j grants no permission',
    async (roles) => {
      expect(await bearing(await stack.forge({ claims: { roles } }))).toMatchObject(aProblem(403, 'FORBIDDEN'));
    },
  );
});

/** The response to a refused token. */
const REFUSED = aProblem(401, 'UNAUTHENTICATED', { 'www-authenticate': /^Bearer/ });

describe('an invalid token', () => {
  test.each<[string, Record<string, string>]>([
    ['is missing', {}],
    ['is empty', { authorization: 'Bearer ' }],
    ['is garbage', { authorization: 'Bearer garbage' }],
    ['is three pieces of garbage', { authorization: 'Bearer a.b.c' }],
    ['is a password', { authorization: `Basic ${Buffer.from('uma:secret').toString('base64')}` }],
    ['is in another header', { 'x-authorization': 'Bearer a.b.c' }],
  ])('a request whose token %s is refused', async (_what, headers) => {
    expect(await stranger.get('/api/runs', headers)).toMatchObject(REFUSED);
  });

  test.each<[string, NonNullable<TokenChanges['claims']>]>([
    ['is of another issuer', { iss: 'somebody' }],
    ['is for another audience', { aud: 'billing' }],
    ['is for other audiences', { aud: ['billing', 'mail'] }],
    ['has expired', { exp: soon(-60) }],
    ['is not valid yet', { nbf: soon(600) }],
    ['was issued in the future', { iat: soon(600), exp: soon(1_200) }],
    ['names no issuer', { iss: undefined }],
    ['names no audience', { aud: undefined }],
    ['has no exp claim', { exp: undefined }],
    ['has no iat claim', { iat: undefined }],
    ['names no subject', { sub: undefined }],
    ['names an empty subject', { sub: '' }],
    ['names a number as subject', { sub: 7 }],
    ['names a subject of 256 characters', { sub: 's'.repeat(256) }],
    ['names no tenant', { tenant: undefined }],
    ['names a list as its tenant', { tenant: ['demo'] }],
    ['names an object as tenant', { tenant: { id: 'demo' } }],
    ['names an empty tenant', { tenant: '' }],
    ['names a tenant with a slash', { tenant: 'demo/other' }],
    ['names a tenant with a colon', { tenant: 'demo:other' }],
    ['names a tenant with a space', { tenant: 'demo ' }],
    ['names a tenant with a line break', { tenant: 'demo\n' }],
    ['names a tenant that begins with a dot', { tenant: '..' }],
    ['names a tenant of 64 characters', { tenant: 't'.repeat(64) }],
    ['names a tenant with a letter outside ASCII', { tenant: 'dem\u00f6' }],
  ])('a token that %s is refused', async (_what, claims) => {
    expect(await bearing(await stack.forge({ claims }))).toMatchObject(REFUSED);
  });

  test.each<[string, NonNullable<TokenChanges['header']>]>([
    ['names an unknown key', { kid: 'unknown' }],
    ['names a file path as its key', { kid: '../../../../dev/null' }],
    ['names an SQL expression as its key', { kid: "' or '1'='1" }],
    ['names a key id of 8,000 characters', { kid: 'k'.repeat(8_000) }],
    ['requires an unknown critical extension', { crit: ['sudo'], sudo: true }],
  ])('a token whose header %s is refused', async (_what, header) => {
    expect(await bearing(await stack.forge({ header }))).toMatchObject(REFUSED);
  });

  test.each(['none', 'None', 'NONE'])('a token with the algorithm "%s" is refused', async (alg) => {
    const [, claims = ''] = (await stack.forge()).split('.');
    expect(await bearing(`${base64({ alg, kid: stack.publicKey.kid })}.${claims}.`)).toMatchObject(REFUSED);
  });

  test.each<[string, () => string]>([
    [
      'PEM',
      () => createPublicKey({ key: stack.publicKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
    ],
    ['JWK', () => JSON.stringify(stack.publicKey)],
  ])('a token signed by HS256 with the public key (%s) as its secret is refused', async (_format, toText) => {
    const forgery = { header: { alg: 'HS256' }, key: new TextEncoder().encode(toText()) };
    expect(await bearing(await stack.forge(forgery))).toMatchObject(REFUSED);
  });

  test('a token signed by another key under the id of the configured key is refused', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expect(await bearing(await stack.forge({ key: privateKey }))).toMatchObject(REFUSED);
  });

  test.each(['without a kid', 'under its own kid'])('a token with its own key %s is refused', async (which) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const kid = which === 'without a kid' ? undefined : 'mine';
    expect(await bearing(await stack.forge({ header: { jwk, kid }, key: privateKey }))).toMatchObject(REFUSED);
  });

  test.each(['jku', 'x5u'])('a token that names its key by %s is refused, and the URL is not fetched', async (name) => {
    const elsewhere = await startLoopbackServer();
    const { privateKey } = await generateKeyPair('ES256');
    const header = { [name]: `${elsewhere.url}/keys`, kid: 'mine' };
    expect(await bearing(await stack.forge({ header, key: privateKey }))).toMatchObject(REFUSED);
    expect(elsewhere.connections).toBe(0);
    await elsewhere.stop();
  });

  test.each<[string, (token: string) => string]>([
    ['has lost its signature', (token) => token.replace(/[^.]*$/, '')],
    ['has lost a part of its signature', (token) => token.slice(0, -8)],
    ['has another signature', (token) => token.replace(/[^.]*$/, base64({}))],
    ['has other claims than were signed', (token) => token.replace(/\.[^.]*\./, `.${base64({ tenant: 'demo' })}.`)],
    ['is sent twice in one header', (token) => `${token}, Bearer ${token}`],
  ])('a token that %s is refused', async (_what, change) => {
    expect(await bearing(change(await stack.forge()))).toMatchObject(REFUSED);
  });

  test('a token of 15,000 characters is refused', async () => {
    expect(await bearing('x'.repeat(15_000))).toMatchObject(REFUSED);
  });

  test('a token that exceeds the size limit of headers is refused', async () => {
    expect(await createApiClient(stack.baseUrl, 'x'.repeat(65_536)).get('/api/runs')).toMatchObject({ status: 431 });
  });

  test('an invalid token is refused before the request is validated', async () => {
    const answer = await stranger.send('/api/runs', { method: 'PUT', body: '{' });
    const posted = await stranger.send('/api/runs', { method: 'POST', body: '{' });
    expect([answer.status, posted]).toMatchObject([405, REFUSED]);
  });
});

test('every response to a request with a token is described in the OpenAPI document', () => {
  expect(api.notDescribed()).toEqual([]);
});
