import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser/use-browser.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';
import { readFile } from 'node:fs/promises';

const { start, consoleUrl, tokensFile } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
let tokens: Readonly<Record<string, string>>;
beforeAll(async () => {
  stack = await start();
  tokens = JSON.parse(await readFile(tokensFile(), 'utf8'));
}, 120_000);

const isIn = async (page: Page): Promise<void> => await page.getByRole('navigation', { name: 'Pages' }).waitFor();

describe('the address of a local stack', () => {
  test('signs in once, and leaves nothing of the code in the address', async () => {
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

  test('keeps who has come through a reload, and in no other tab', async () => {
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

  /** Answers as an issuer of OpenID Connect, at the API's own origin, where the console's policy lets it ask. */
  async function actAsIssuer(
    page: Page,
    seen: URLSearchParams[],
    over: { readonly state?: string } = {},
  ): Promise<void> {
    const issuer = `${stack.ready.baseUrl}${ISSUER_PATH}`;
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
        seen.push(new URLSearchParams(route.request().postData() ?? ''));
        const now = Math.floor(Date.now() / 1_000);
        const claims = {
          iss: issuer,
          aud: 'the-console',
          sub: 'ada',
          iat: now,
          exp: now + 60,
          nonce: seen[0]?.get('nonce'),
        };
        const idToken = `${base64url({ alg: 'RS256' })}.${base64url(claims)}.${Buffer.from('signed').toString('base64url')}`;
        await route.fulfill({
          json: { access_token: tokens['approver'], token_type: 'bearer', expires_in: 60, id_token: idToken },
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
  }

  const signIn = async (page: Page): Promise<void> => {
    await page.goto(`${stack.ready.baseUrl}/console/`);
    await page.getByRole('button', { name: /^Sign in at/ }).click();
  };

  test('signs people in by a code and its proof, which no other can exchange', async () => {
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

  test('whose answer is to a question of somebody else signs nobody in', async () => {
    const page = await openPage();
    const seen: URLSearchParams[] = [];
    await actAsIssuer(page, seen, { state: 'of-somebody-else' });
    await signIn(page);
    await page.getByRole('status').filter({ hasText: 'state' }).waitFor();
    expect(seen).toHaveLength(1);
  });
});
