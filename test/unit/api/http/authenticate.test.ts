import { generateKeyPairSync, sign } from 'node:crypto';
import { exportJWK } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticate } from '../../../../src/api/http/authenticate.ts';
import type { Authenticate } from '../../../../src/api/http/authenticate.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let authenticate: Authenticate;
beforeAll(async () => {
  const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' };
  const claims = { tenant: 'tenant', roles: 'roles' };
  authenticate = createAuthenticate({ issuer: 'us', audience: 'holdfast', keys: { keys: [key] }, claims });
});

const HEADER = '"alg":"ES256","kid":"k"';
const now = (): number => Math.floor(Date.now() / 1_000);
const claimsText = (): string =>
  `"iss":"us","aud":"holdfast","iat":${now()},"exp":${now() + 60},"sub":"uma","tenant":"acme","roles":["user"]`;

/** A token that the issuer has signed, with header and claims as given texts. */
function bearer(header: string, claims: string): string {
  const content = [header, claims].map((text) => Buffer.from(`{${text}}`).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `Bearer ${content}.${signature.toString('base64url')}`;
}

describe('a token with a valid signature', () => {
  test('a token with a valid signature is accepted', async () => {
    await expect(authenticate(bearer(HEADER, claimsText()))).resolves.toMatchObject({ sub: 'uma', tenantId: 'acme' });
  });

  test.each([
    ['alg', `${HEADER},"alg":"ES256"`, ''],
    ['kid', `"kid":"other",${HEADER}`, ''],
    ['sub', HEADER, ',"sub":"root"'],
    ['tenant', HEADER, ',"tenant":"other"'],
    ['roles', HEADER, ',"roles":["admin"]'],
    ['exp', HEADER, ',"exp":9999999999'],
    ['an escaped exp', HEADER, String.raw`,"\u0065xp":9999999999`],
    ['a member of a claim', HEADER, ',"more":{"a":1,"a":2}'],
  ])('a token is refused if it has a claim or header twice: %s', async (_what, header, more) => {
    await expect(authenticate(bearer(header, claimsText() + more))).rejects.toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    });
  });

  test.each(['1e12', '1e400'])(
    'a token is valid until the year 9999 at most: its end at %s s is out of the range of the database',
    async (exp) => {
      const late = claimsText().replace(/"exp":\d+/, `"exp":${exp}`);
      const { expiresAtMs = 0 } = await authenticate(bearer(HEADER, late));
      expect(new Date(expiresAtMs).toISOString()).toBe('9999-12-31T23:59:59.999Z');
    },
  );

  test('a deeply nested bearer token is refused', async () => {
    const nested = `,"more":${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const message = expect.stringContaining('nested too deeply');
    await expect(authenticate(bearer(HEADER, claimsText() + nested))).rejects.toMatchObject({ status: 401, message });
  });

  test('a very long bearer token is refused', async () => {
    const long = `,"more":"${'x'.repeat(20_000)}"`;
    await expect(authenticate(bearer(HEADER, claimsText() + long))).rejects.toMatchObject({ status: 401 });
  });
});
