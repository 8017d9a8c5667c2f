import { SignJWT, calculateJwkThumbprint, importJWK } from 'jose';
import type { JWK } from 'jose';
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser/use-browser.ts';
import { startAsking } from '../support/readers/api-runs.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';
import { readFile } from 'node:fs/promises';

const { start, as, consoleUrl, dataFile } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
beforeAll(async () => {
  stack = await start();
}, 120_000);

/** A token of the approver with a lifetime. */
async function signFor(life: string): Promise<string> {
  const jwk: JWK = JSON.parse(await readFile(dataFile('issuer-key.json'), 'utf8'));
  return await new SignJWT({ tenant: 'demo', roles: ['approver'] })
    .setProtectedHeader({ alg: 'ES256', kid: await calculateJwkThumbprint(jwk) })
    .setIssuer('holdfast-local')
    .setAudience('holdfast')
    .setSubject('ada')
    .setIssuedAt()
    .setExpirationTime(life)
    .sign(await importJWK(jwk, 'ES256'));
}

const isIn = async (page: Page): Promise<void> => await page.getByRole('navigation', { name: 'Pages' }).waitFor();

describe('the address of a local stack', () => {
  test('the address printed by a local stack signs in once, and the sign-in code is removed from the address', async () => {
    const address = await consoleUrl(stack);
    const first = await openPage();
    await first.goto(address);
    await isIn(first);
    expect(first.url()).not.toContain('code=');
    const second = await openPage();
    await second.goto(address);
    await second.getByText('This address has been used').waitFor();
    expect(await second.getByRole('navigation').count()).toBe(0);
  });

  test('a sign-in at a local stack survives a reload, and is not shared with another tab', async () => {
    const page = await openPage();
    await page.goto(await consoleUrl(stack));
    await isIn(page);
    await page.reload();
    await isIn(page);
    expect(await page.context().cookies()).toEqual([]);
    const other = await page.context().newPage();
    await other.goto(`${stack.ready.baseUrl}/console/`);
    await other.getByLabel('A token').waitFor();
  });
});

describe('an issuer', () => {
  const ISSUER_PATH = '/issuer-of-this-test';

  interface Played {
    /** A `state` to return in place of the requested one. */
    readonly state: string;
    /** The lifetimes of the access tokens that it issues in order; the last one repeatedly. */
    readonly lifetimes: readonly string[];
    /** True if it also issues refresh tokens. */
    readonly refreshes: boolean;
  }

  /**
   * Answers as an OpenID Connect issuer at the API's own origin, which the content security policy of the console allows.
   * @returns the access tokens that it has issued so far
   */
  async function actAsIssuer(
    page: Page,
    seen: URLSearchParams[],
    over: Partial<Played> = {},
  ): Promise<readonly string[]> {
    const issuer = `${stack.ready.baseUrl}${ISSUER_PATH}`;
    const { lifetimes = ['1h'] } = over;
    const issued: string[] = [];
    const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const answers: Readonly<Record<string, (route: Route) => Promise<void>>> = {
      '/.well-known/openid-configuration': async (route) =>
        await route.fulfill({
          json: { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        }),
      '/authorize': async (route) => {
        const asked = new URL(route.request().url()).searchParams;
        seen.push(asked);
        const back = new URL(asked.get('redirect_uri') ?? '');
        back.searchParams.set('code', 'the-code');
        back.searchParams.set('state', over.state ?? asked.get('state') ?? '');
        await route.fulfill({ status: 302, headers: { location: back.href } });
      },
      '/token': async (route) => {
        const asked = new URLSearchParams(route.request().postData() ?? '');
        seen.push(asked);
        const isRefresh = asked.get('grant_type') === 'refresh_token';
        const accessToken = await signFor(lifetimes[Math.min(issued.length, lifetimes.length - 1)] ?? '1h');
        issued.push(accessToken);
        const now = Math.floor(Date.now() / 1_000);
        const claims = {
          iss: issuer,
          aud: 'the-console',
          sub: 'ada',
          iat: now,
          exp: now + 60,
          nonce: seen.findLast((one) => one.has('nonce'))?.get('nonce'),
        };
        const idToken = `${base64url({ alg: 'RS256' })}.${base64url(claims)}.${Buffer.from('signed').toString('base64url')}`;
        await route.fulfill({
          json: {
            access_token: accessToken,
            token_type: 'bearer',
            expires_in: 60,
            ...(!isRefresh && { id_token: idToken }),
            ...(over.refreshes && { refresh_token: `refresh-${issued.length}` }),
          },
        });
      },
    };
    await page.route(`${stack.ready.baseUrl}${ISSUER_PATH}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname.slice(ISSUER_PATH.length);
      await answers[path]?.(route);
    });
    await page.route('**/console/config.json', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        json: { ...(await answer.json()), issuer, clientId: 'the-console', parameters: { audience: 'api' } },
      });
    });
    return issued;
  }

  const signIn = async (page: Page): Promise<void> => {
    await page.goto(`${stack.ready.baseUrl}/console/`);
    await page.getByRole('button', { name: /^Sign in at/ }).click();
  };

  test('an OpenID issuer signs people in by a code with PKCE, which no other client can exchange', async () => {
    const page = await openPage();
    const seen: URLSearchParams[] = [];
    await actAsIssuer(page, seen);
    await signIn(page);
    await page.getByText('ada · demo').waitFor();
    const [asked, exchanged] = seen;
    expect(asked?.get('code_challenge_method')).toBe('S256');
    expect(asked?.get('audience')).toBe('api');
    expect(exchanged?.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
    expect(page.url()).not.toContain('the-code');
  });

  test("the console signs nobody in by an issuer's answer to the request of another browser", async () => {
    const page = await openPage();
    const seen: URLSearchParams[] = [];
    await actAsIssuer(page, seen, { state: 'of-somebody-else' });
    await signIn(page);
    await page.getByRole('status').filter({ hasText: 'state' }).waitFor();
    expect(seen).toHaveLength(1);
  });

  const deepLink = (approvalId: string): string => `/console/inbox/${approvalId}?view=pending#part`;

  test.each(['in its tab', 'in a new tab'])(
    'a sign-in at an issuer returns people to the link that they opened %s',
    async (where) => {
      const { approvalId } = await startAsking(await as('user', stack), { title: 'Of the link?' });
      const first = await openPage();
      await actAsIssuer(first, []);
      if (where === 'in a new tab') {
        await signIn(first);
        await isIn(first);
      }
      const page = where === 'in its tab' ? first : await first.context().newPage();
      if (page !== first) await actAsIssuer(page, []);
      await page.goto(`${stack.ready.baseUrl}${deepLink(approvalId)}`);
      await page.getByRole('button', { name: /^Sign in at/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Of the link?' }).waitFor();
      expect(page.url()).toBe(`${stack.ready.baseUrl}${deepLink(approvalId)}`);
    },
  );

  test('a failed sign-in leaves people at their link, so that they can retry', async () => {
    const { approvalId } = await startAsking(await as('user', stack), { title: 'Again?' });
    const page = await openPage();
    await actAsIssuer(page, [], { state: 'of-somebody-else' });
    await page.goto(`${stack.ready.baseUrl}${deepLink(approvalId)}`);
    await page.getByRole('button', { name: /^Sign in at/ }).click();
    await page.getByRole('status').filter({ hasText: 'state' }).waitFor();
    expect(page.url()).toBe(`${stack.ready.baseUrl}${deepLink(approvalId)}`);
  });

  test('a console session with a refresh token is renewed before it ends, and an open form keeps its state', async () => {
    const { approvalId } = await startAsking(await as('user', stack), {
      title: 'Renewed?',
      args: { amount: 1200 },
      argsSchema: { type: 'object', properties: { amount: { type: 'number' } } },
    });
    const page = await openPage();
    const seen: URLSearchParams[] = [];
    const issued = await actAsIssuer(page, seen, { lifetimes: ['4s', '1h'], refreshes: true });
    await page.goto(`${stack.ready.baseUrl}/console/inbox/${approvalId}`);
    await page.getByRole('button', { name: /^Sign in at/ }).click();
    const amount = page.getByRole('form', { name: 'Your decision' }).getByLabel('amount');
    await amount.fill('41');
    await expect.poll(() => seen.filter((one) => one.get('grant_type') === 'refresh_token').length).toBe(1);
    expect(seen.at(-1)?.get('refresh_token')).toBe('refresh-1');
    // The first token has expired by now; requests continue with the second.
    await expect
      .poll(async () => (await page.request.get(`${stack.ready.baseUrl}/api/runs`, bearer(issued[0]))).status())
      .toBe(401);
    expect(await amount.inputValue()).toBe('41');
    expect(await page.getByText('What you had written here is back').count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'You have approved it.' }).waitFor();
  });

  test('a console session without a refresh token ends, keeps drafts, and shows a notice', async () => {
    const { approvalId } = await startAsking(await as('user', stack), {
      title: 'Ended?',
      args: { amount: 1200 },
      argsSchema: { type: 'object', properties: { amount: { type: 'number' } } },
    });
    const page = await openPage();
    const issued = await actAsIssuer(page, [], { lifetimes: ['4s', '1h'] });
    await page.goto(`${stack.ready.baseUrl}/console/inbox/${approvalId}`);
    await page.getByRole('button', { name: /^Sign in at/ }).click();
    const amount = page.getByRole('form', { name: 'Your decision' }).getByLabel('amount');
    await amount.waitFor();
    // Requests in the background get no answer, as they could end the session before the decision is sent.
    await page.route('**/api/**', async (route) => {
      if (route.request().method() === 'POST') await route.continue();
    });
    await amount.fill('43');
    await expect
      .poll(async () => (await page.request.get(`${stack.ready.baseUrl}/api/runs`, bearer(issued[0]))).status())
      .toBe(401);
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByText('What you have written is kept in this tab').waitFor();
    await page.unroute('**/api/**');
    await page.getByRole('button', { name: /^Sign in at/ }).click();
    await page.getByText('What you had written here is back.').waitFor();
    expect(await amount.inputValue()).toBe('43');
    expect(page.url()).toBe(`${stack.ready.baseUrl}/console/inbox/${approvalId}`);
  });
});

const bearer = (token = '') => ({ headers: { authorization: `Bearer ${token}` } });
