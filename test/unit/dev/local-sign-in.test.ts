import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthenticate } from '../../../src/api/http/authenticate.ts';
import type { Issuer } from '../../../src/dev/issuer.ts';
import { consoleAddress, openIssuer, openLocalSignIn } from '../../../src/dev/issuer.ts';

let folder: string;
let issuer: Issuer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  issuer = await openIssuer(join(folder, 'key.json'), {});
});
afterAll(async () => await rm(folder, { recursive: true }));

test('a sign-in code is exchanged once for the tokens of all local users', async () => {
  const redeem = openLocalSignIn(issuer);
  const code = await issuer.signCode();
  const tokens = (await redeem(code)) ?? [];
  const authenticate = createAuthenticate(issuer.auth);
  const people = await Promise.all(tokens.map(async (token) => await authenticate(`Bearer ${token}`)));
  expect(people.map(({ sub }) => sub)).toEqual(['root', 'ada', 'bob', 'uma']);
  expect(await redeem(code)).toBeNull();
});

test('of two concurrent exchanges of a sign-in code only one returns the tokens', async () => {
  const redeem = openLocalSignIn(issuer);
  const code = await issuer.signCode();
  const answers = await Promise.all([redeem(code), redeem(code)]);
  expect(answers.filter((answer) => answer !== null)).toHaveLength(1);
});

test('a sign-in code is refused as a token, a token as a code, and both from another stack', async () => {
  const redeem = openLocalSignIn(issuer);
  const authenticate = createAuthenticate(issuer.auth);
  await expect(authenticate(`Bearer ${await issuer.signCode()}`)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(await redeem(await issuer.sign({ sub: 'root', tenant: 'demo', roles: ['admin'] }))).toBeNull();
  const other = await openIssuer(join(folder, 'other.json'), {});
  expect(await redeem(await other.signCode())).toBeNull();
  expect(await redeem('nothing')).toBeNull();
});

test('a sign-in code is valid for a minute', async () => {
  const read = await issuer.readCode(await issuer.signCode());
  expect(read?.expiresAtMs).toBeLessThanOrEqual(Date.now() + 62_000);
});

test('the URL of the console contains the sign-in code in its fragment', async () => {
  const url = new URL(await consoleAddress('http://127.0.0.1:3000', issuer));
  expect(url.pathname).toBe('/console/');
  expect(url.search).toBe('');
  expect(url.hash).toMatch(/^#code=/);
});
