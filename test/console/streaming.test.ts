import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { aDefinition } from '../support/builders/builders.ts';
import { enterConsole } from '../support/browser/enter-console.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { startHeldModel } from '../support/doubles/held-model.ts';
import type { HeldModel } from '../support/doubles/held-model.ts';
import { textAt } from '../support/readers/json-at.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';

/* The partial reply of a model in a browser, while the test holds the model's answer open. */

const { start, as, consoleUrl } = useNpmStart();
const openPage = useBrowser();
let model: HeldModel;
let stack: Started;
beforeAll(async () => {
  model = await startHeldModel();
  vi.stubEnv('HOLDFAST_MODEL_URL', model.baseUrl);
  // With the flag for a demo, the model would be that of the demo.
  stack = await start([process.execPath, 'bin/holdfast.js', 'start']);
}, 120_000);
afterAll(async () => {
  vi.stubEnv('HOLDFAST_MODEL_URL', undefined);
  await model?.stop();
});

const TELLING = aDefinition({
  name: 'telling',
  channels: { chat: { reducer: 'messages' } },
  nodes: { tell: { type: 'llm', prompt: 'Tell me a story', write: { chat: ['{{ result.message }}'] } } },
});

/** Waits until the page has opened the stream, as it does not get earlier deltas. */
async function listening(page: Page): Promise<void> {
  const response = await page.waitForResponse((response) => /\/events\?ticket=.*stream=tokens/.test(response.url()));
  expect(response.status()).toBe(200);
}

test('the console shows the reply of a model word by word, also after a reload, and completely at the end', async () => {
  const user = await as('user', stack);
  const runId = textAt((await user.post('/api/runs', { graph: TELLING, input: {} })).body, '/id');
  const page = await openPage();
  const opened = listening(page);
  await enterConsole(page, {
    consoleUrl: await consoleUrl(stack),
    baseUrl: stack.ready.baseUrl,
    path: `/runs/${runId}/messages`,
  });
  await opened;
  const speech = page.getByRole('article', { name: 'tell is writing' });
  await model.say('Once upon ');
  await speech.getByText('Once upon', { exact: true }).waitFor();
  await model.say('a time ');
  await speech.getByText('Once upon a time', { exact: true }).waitFor();

  const again = listening(page);
  await page.reload();
  await again;
  await model.say('there was a graph.');
  await speech.getByText('there was a graph.', { exact: true }).waitFor();
  await speech.getByText('the beginning is missing').waitFor();

  await model.end();
  const said = page.getByRole('article', { name: 'assistant says' });
  await said.getByText('Once upon a time there was a graph.', { exact: true }).waitFor();
  await speech.waitFor({ state: 'detached' });
  expect(await said.count()).toBe(1);
  await page.getByText('completed', { exact: true }).first().waitFor();
});
