import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { enterConsole } from '../support/browser/enter-console.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';

/* The pages of graphs, schedules and webhooks in a browser. */

const { start, as, consoleUrl } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
beforeAll(async () => void (stack = await start()), 120_000);

async function enter(path: string): Promise<Page> {
  const { baseUrl } = stack.ready;
  return await enterConsole(await openPage(), { consoleUrl: await consoleUrl(stack), baseUrl, path });
}

/** The text of an editor that shows all of its lines. */
async function writtenIn(editor: Locator): Promise<string> {
  return (await editor.locator('.cm-line').allTextContents()).join('\n');
}

/** Replaces the whole text, as a person does. */
async function rewrite(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+a');
  await editor.page().keyboard.insertText(text);
}

test('the console edits a graph with completions, publishes it, and compares and starts versions of it', async () => {
  const page = await enter('/graphs/-/new');
  const editor = page.getByLabel('Definition', { exact: true });
  const publish = page.getByRole('button', { name: 'Publish' });
  await page.getByText('can be published').waitFor();

  // The list of completions opens while a name is typed, and Enter inserts the first.
  await editor.press('Control+Home');
  await editor.press('ArrowRight');
  await editor.pressSequentially('"desc');
  await page.getByRole('option', { name: 'description' }).waitFor();
  await editor.press('Enter');
  await expect.poll(async () => await writtenIn(editor)).toContain('{"description": "",');
  await editor.press('Backspace');
  await page.getByText('A comma is expected here').waitFor();
  expect(await publish.isDisabled()).toBe(true);
  await editor.pressSequentially(',');
  await page.getByText('can be published').waitFor();

  // A click on an issue of the API moves the cursor to its position.
  const good = await writtenIn(editor);
  await rewrite(editor, good.replace('"to": "ask"', '"to": "aks"'));
  await page.getByText('can’t be published').waitFor();
  await page.getByRole('button', { name: /aks/ }).first().click();
  await page.keyboard.type('!');
  expect(await writtenIn(editor)).toContain('!"to": "aks"');
  await page.locator('.cm-lint-marker-error').first().waitFor();
  await rewrite(editor, good);
  await page.getByText('can be published').waitFor();

  // Ctrl+Space opens completions, Escape closes them, a new line is indented, and Ctrl+Z undoes it.
  await editor.press('Control+Home');
  await editor.press('ArrowRight');
  await editor.press('Control+Space');
  const completions = page.getByRole('listbox', { name: 'Completions' });
  await completions.waitFor();
  await editor.press('Escape');
  await completions.waitFor({ state: 'detached' });
  await editor.press('Enter');
  expect(await writtenIn(editor)).toContain('{\n  "description": "",\n');
  await editor.press('Control+z');
  expect(await writtenIn(editor)).toBe(good);
  await page.getByText('can be published').waitFor();
  await publish.click();
  await page.getByRole('heading', { level: 1, name: 'my-graph' }).waitFor();
  await page.getByRole('button', { name: 'ask approval' }).waitFor();

  await page.getByRole('link', { name: 'Edit' }).click();
  await rewrite(editor, good.replace('{{ state.question }}', 'Well: {{ state.question }}'));
  await page.getByText('can be published').waitFor();
  await publish.click();
  await page.getByRole('link', { name: 'Compare with 1' }).click();
  await page.getByRole('row', { name: /nodes\/ask\/title/ }).waitFor();
  await page.getByRole('button', { name: 'ask approval changed' }).waitFor();

  await page.getByRole('link', { name: 'Aliases' }).click();
  await page.getByRole('textbox', { name: 'Alias' }).fill('live');
  await page.getByLabel('Canary: version').fill('1');
  await page.getByLabel('Canary: percent of new runs').fill('25');
  await page.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('cell', { name: '25% to 1' }).waitFor();

  await page.getByRole('link', { name: 'Start a run' }).click();
  await page.getByLabel('Graph', { exact: true }).selectOption('my-graph@live');
  await page.getByLabel('question').fill('May we?');
  // A problem in a closed section prevents sending, and the section opens.
  await page.getByText('More', { exact: true }).click();
  await page.getByLabel('Limits').fill('{');
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.getByLabel('Limits').and(page.locator(':focus')).fill('');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.waitForURL(/\/console\/runs\/[0-9A-Z]{26}/);
});

test('the console keeps the draft of a graph across tabs and reloads, and does not use it for another version', async () => {
  const user = await as('user', stack);
  const definition = (title: string) => ({
    name: 'kept-text',
    channels: {},
    nodes: { ask: { type: 'approval', title } },
    edges: [{ from: '__start__', to: 'ask' }],
  });
  expect((await user.post('/api/graphs', definition('One?'))).status).toBeLessThan(300);
  const page = await enter('/graphs/kept-text/edit');
  const editor = page.getByLabel('Definition', { exact: true });
  await page.getByText('can be published').waitFor();
  const written = (await writtenIn(editor)).replace('One?', 'Two?');
  await rewrite(editor, written);
  await page.getByRole('link', { name: 'Versions' }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByText('What you had written here is back.').waitFor();
  expect(await writtenIn(editor)).toBe(written);
  await page.reload();
  await page.getByText('What you had written here is back.').waitFor();
  expect(await writtenIn(editor)).toBe(written);

  // Somebody else publishes a version, so the draft is for an outdated one.
  await user.post('/api/graphs', definition('Of somebody else?'));
  await page.reload();
  await page.getByText('You had written something for another version of this graph.').waitFor();
  expect(await writtenIn(editor)).toContain('Of somebody else?');
  await page.getByRole('button', { name: 'Take it up' }).click();
  expect(await writtenIn(editor)).toBe(written);
  await page.getByText('can be published').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.waitForURL(/versions\?version=3/);
  await page.getByRole('link', { name: 'Edit' }).click();
  await editor.waitFor();
  expect(await page.getByText('What you had written here is back.').count()).toBe(0);
});

test('the console creates, pauses and deletes a schedule, and shows a refusal at the field with the error', async () => {
  const page = await enter('/schedules/new');
  await page.getByLabel('Graph').fill('refund-triage');
  await page.getByLabel('Times, as cron').fill('often');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Five fields with a space between them are expected here').first().waitFor();
  await page.getByLabel('Times, as cron').fill('30 6 * * MON-FRI');
  await page.getByLabel('Input').fill('{ "ticket": { "id": "T", "from": "f", "subject": "s", "body": "b" } }');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'refund-triage' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('None while it is paused.').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The schedule goes for good.').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There is no schedule').waitFor();
  expect(page.url()).toBe(`${stack.ready.baseUrl}/console/schedules`);
});

test('the page of a webhook shows the secret once, and lists deliveries', async () => {
  const page = await enter('/webhooks/new');
  await page.getByLabel('Address').fill('https://hooks.example.com/holdfast');
  await page.getByRole('button', { name: 'Add' }).click();
  const secret = await page.locator('.secret').innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('link', { name: 'Go to the webhook' }).click();
  await page.getByRole('button', { name: 'Ping' }).click();
  await page.getByRole('cell', { name: /^webhook\.ping/ }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: /^webhook\.ping/ }).waitFor();
  expect(await page.content()).not.toContain(secret);
});

test('the console shows people who are no administrators a notice instead of the page of tenants', async () => {
  const page = await enter('/admin');
  await page.getByRole('table').or(page.getByText('No run is like that')).first().waitFor();
  await page.getByLabel('Who you are').selectOption({ label: 'ada · approver · demo' });
  await page.goto(`${stack.ready.baseUrl}/console/admin`);
  await page.getByText('These pages are for people with the permission “admin”').waitFor();
  expect(await page.getByRole('table').count()).toBe(0);
});
