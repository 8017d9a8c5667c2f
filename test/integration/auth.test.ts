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

describe('a good token', () => {
  test.each<[string, TokenChanges]>([
    ['as the issuer signs it', {}],
    ['for several audiences', { claims: { aud: ['billing', 'holdfast'] } }],
    ['with a tenant of all letters that there are', { claims: { tenant: 'A.b_c-9' } }],
    ['with the longest tenant', { claims: { tenant: 't'.repeat(63) } }],
    ['that became valid a while ago', { claims: { nbf: soon(-60) } }],
    ['with unknown claims', { claims: { department: 'refunds' } }],
  ])('%s is accepted', async (_what, forgery) => {
    expect(await bearing(await stack.forge(forgery))).toMatchObject({ status: 200 });
  });

  test('is accepted with its scheme in upper or lower case', async () => {
    expect(await stranger.get('/api/runs', { authorization: `bearer ${await stack.forge()}` })).toMatchObject({
      status: 200,
    });
  });

  test.each([[['emperor']], [[]], [undefined], ['user'], [{ user: true }]])(
    'with roles %j grants no permission',
    async (roles) => {
      expect(await bearing(await stack.forge({ claims: { roles } }))).toMatchObject(aProblem(403, 'FORBIDDEN'));
    },
  );
});

/** The response to a refused token. */
const REFUSED = aProblem(401, 'UNAUTHENTICATED', { 'www-authenticate': /^Bearer/ });

describe('a bad token', () => {
  test.each<[string, Record<string, string>]>([
    ['is missing', {}],
    ['is empty', { authorization: 'Bearer ' }],
    ['is garbage', { authorization: 'Bearer garbage' }],
    ['is three pieces of garbage', { authorization: 'Bearer a.b.c' }],
    ['is a password', { authorization: `Basic ${Buffer.from('uma:secret').toString('base64')}` }],
    ['stands in another header', { 'x-authorization': 'Bearer a.b.c' }],
  ])('%s', async (_what, headers) => {
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
    ['never expires', { exp: undefined }],
    ['was never issued', { iat: undefined }],
    ['names no subject', { sub: undefined }],
    ['names an empty subject', { sub: '' }],
    ['names a number as subject', { sub: 7 }],
    ['names an endless subject', { sub: 's'.repeat(256) }],
    ['names no tenant', { tenant: undefined }],
    ['names a list of tenants', { tenant: ['demo'] }],
    ['names an object as tenant', { tenant: { id: 'demo' } }],
    ['names an empty tenant', { tenant: '' }],
    ['names a tenant with a slash', { tenant: 'demo/other' }],
    ['names a tenant with a colon', { tenant: 'demo:other' }],
    ['names a tenant with a space', { tenant: 'demo ' }],
    ['names a tenant with a line break', { tenant: 'demo\n' }],
    ['names a tenant that begins with a dot', { tenant: '..' }],
    ['names a tenant that is too long', { tenant: 't'.repeat(64) }],
    ['names a tenant in other letters', { tenant: 'dem\u00f6' }],
  ])('%s', async (_what, claims) => {
    expect(await bearing(await stack.forge({ claims }))).toMatchObject(REFUSED);
  });

  test.each<[string, NonNullable<TokenChanges['header']>]>([
    ['names an unknown key', { kid: 'unknown' }],
    ['names a file as its key', { kid: '../../../../dev/null' }],
    ['names a query as its key', { kid: "' or '1'='1" }],
    ['names an endless key', { kid: 'k'.repeat(8_000) }],
    ['has an extension that has to be understood', { crit: ['sudo'], sudo: true }],
  ])('%s', async (_what, header) => {
    expect(await bearing(await stack.forge({ header }))).toMatchObject(REFUSED);
  });

  test.each(['none', 'None', 'NONE'])('is signed by the algorithm "%s"', async (alg) => {
    const [, claims = ''] = (await stack.forge()).split('.');
    expect(await bearing(`${base64({ alg, kid: stack.publicKey.kid })}.${claims}.`)).toMatchObject(REFUSED);
  });

  test.each<[string, () => string]>([
    [
      'PEM',
      () => createPublicKey({ key: stack.publicKey, format: 'jwk' }).export({ type: 'spki', format: 'pem' }).toString(),
    ],
    ['JWK', () => JSON.stringify(stack.publicKey)],
  ])('is signed by HS256 with the public key as its secret, as %s', async (_format, toText) => {
    const forgery = { header: { alg: 'HS256' }, key: new TextEncoder().encode(toText()) };
    expect(await bearing(await stack.forge(forgery))).toMatchObject(REFUSED);
  });

  test('is signed by another key under the id of the configured key', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    expect(await bearing(await stack.forge({ key: privateKey }))).toMatchObject(REFUSED);
  });

  test.each(['without a kid', 'under its own kid'])('contains its own key, %s', async (which) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const kid = which === 'without a kid' ? undefined : 'mine';
    expect(await bearing(await stack.forge({ header: { jwk, kid }, key: privateKey }))).toMatchObject(REFUSED);
  });

  test.each(['jku', 'x5u'])('names the URL of its key by %s, which is never fetched', async (name) => {
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
    ['says something else than was signed', (token) => token.replace(/\.[^.]*\./, `.${base64({ tenant: 'demo' })}.`)],
    ['comes twice', (token) => `${token}, Bearer ${token}`],
  ])('%s', async (_what, change) => {
    expect(await bearing(change(await stack.forge()))).toMatchObject(REFUSED);
  });

  test('is 15,000 characters long', async () => {
    expect(await bearing('x'.repeat(15_000))).toMatchObject(REFUSED);
  });

  test('exceeds the size limit of headers', async () => {
    expect(await createApiClient(stack.baseUrl, 'x'.repeat(65_536)).get('/api/runs')).toMatchObject({ status: 431 });
  });

  test('is refused before the request is validated', async () => {
    const answer = await stranger.send('/api/runs', { method: 'PUT', body: '{' });
    const posted = await stranger.send('/api/runs', { method: 'POST', body: '{' });
    expect([answer.status, posted]).toMatchObject([405, REFUSED]);
  });
});

test('every response to a token is described in the OpenAPI document', () => {
  expect(api.notDescribed()).toEqual([]);
});
