import { afterAll, beforeAll, expect, test } from 'vitest';
import { listenOnPort } from '../../src/process/listen.ts';
import type { OpenPort } from '../../src/process/listen.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { answer, startLoopbackServer } from '../support/doubles/loopback-server.ts';
import type { LoopbackServer } from '../support/doubles/loopback-server.ts';
import { startTestApi } from '../support/servers/test-api.ts';
import type { TestApi } from '../support/servers/test-api.ts';

/* A page of another origin that uses the API, in a real browser. */

const openPage = useBrowser();
let pages: LoopbackServer;
let api: TestApi;
let port: OpenPort;
beforeAll(async () => {
  pages = await startLoopbackServer();
  api = await startTestApi({ http: { cors: { origins: [pages.url] } } });
  port = await listenOnPort(
    { fetch: async ({ url, method, headers }) => await api.request(url, { method, headers }) },
    { port: 0 },
  );
});
afterAll(async () => {
  await port?.stop();
  await api?.stop();
  await pages?.stop();
});

/** Sends a request from a page at an address. @returns what the page may see of the answer */
async function askFrom(address: string, token: string): Promise<unknown> {
  pages.answers(answer(200, { 'content-type': 'text/html' }, '<link rel="icon" href="data:," />'));
  const page = await openPage();
  await page.goto(address);
  return await page.evaluate(
    async ([url, bearer]) =>
      await fetch(url, { headers: { authorization: `Bearer ${bearer}`, 'if-none-match': '"x"' } }).then(
        async (response) => ({
          status: response.status,
          hasTag: response.headers.has('etag'),
          body: await response.text(),
        }),
        (error: unknown) => String(error),
      ),
    [`${port.url}/api/chat/T/messages`, token] as const,
  );
}

test('a page of a configured origin reads answers, their headers and errors', async () => {
  expect(await askFrom(pages.url, api.tokens.user)).toEqual({ status: 200, hasTag: true, body: '[]' });
  const refused: unknown = expect.stringContaining('"code":"UNAUTHENTICATED"');
  expect(await askFrom(pages.url, 'none')).toEqual({ status: 401, hasTag: false, body: refused });
});

test('a page of another origin reads no answer', async () => {
  expect(await askFrom(`http://localhost:${pages.port}`, api.tokens.user)).toMatch(/Failed to fetch/);
});
