import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { enterConsole } from '../support/browser/enter-console.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { aGraphOf } from '../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';

/* The pages for administrators in a browser, and their effect on other pages. */

const { start, as, consoleUrl } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
beforeAll(async () => void (stack = await start()), 120_000);

const ADMIN = 'root · admin · demo';

async function enter(path: string, person = ADMIN): Promise<Page> {
  const { baseUrl } = stack.ready;
  return await enterConsole(await openPage(), { consoleUrl: await consoleUrl(stack), baseUrl, path, person });
}

/** A field of a form. Screen readers do not get the star of a required field. */
const field = (page: Page, role: 'combobox' | 'textbox' | 'spinbutton' | 'checkbox', name: string) =>
  page.getByRole(role, { name, exact: true });

test.each(['/admin/tenants', '/admin/switches', '/admin/audit'])(
  'the console shows the page %s to administrators only',
  async (path) => {
    const page = await enter(path, 'uma · user · demo');
    await page.getByText('people with the permission “admin”').waitFor();
    expect(await page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0);
  },
);

test('the console gives a tenant a quota, suspends it and deletes its terms', async () => {
  const admin = await as('admin', stack);
  const page = await enter('/admin/tenants');
  await page.getByLabel('Tenant').fill('acme');
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('heading', { level: 1, name: 'acme' }).waitFor();
  await page.getByText('no limit, as nobody says anything').first().waitFor();

  await field(page, 'combobox', 'New runs a minute').selectOption('This limit');
  await page.getByRole('button', { name: 'Save' }).click();
  // The form is not sent while the limit is missing.
  await page.getByText('This is needed').waitFor();
  await field(page, 'spinbutton', 'So many new runs a minute').fill('60');
  await field(page, 'checkbox', 'Suspended').check();
  await field(page, 'textbox', 'Why it is suspended').fill('unpaid');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('60, says an administrator').waitFor();
  const { body } = await admin.get('/admin/tenants/acme');
  expect(at(body, '/quotas/runsPerMinute')).toEqual({ limit: 60, source: 'admin' });
  expect(textAt(body, '/suspended/reason')).toBe('unpaid');

  await page.getByRole('link', { name: 'Tenants' }).click();
  const row = page.getByRole('row', { name: /acme.*suspended/ });
  await row.getByRole('button', { name: 'Forget' }).click();
  await row.getByText('Only the configuration counts for acme then').waitFor();
  await row.getByRole('button', { name: 'Forget' }).click();
  await page.getByText('No administrator has said anything').waitFor();
  expect(at((await admin.get('/admin/tenants/acme')).body, '/suspended')).toBeNull();
});

test('a switched-off tool is visible among the tools and in its run, which continues once the tool is switched on', async () => {
  const page = await enter('/tools');
  await page.getByRole('link', { name: 'Switch it off lookup_order' }).click();
  await field(page, 'textbox', 'Why').fill('The shop is down');
  await page.getByRole('button', { name: 'Switch off', exact: true }).click();
  await page.getByRole('row', { name: /tool lookup_order off The shop is down all/ }).waitFor();

  const user = await as('user', stack);
  const graph = aGraphOf({ type: 'tool', tool: 'lookup_order', args: { number: 'A-1001' } });
  const { body } = await user.post('/api/runs', { graph: { ...graph, limits: { deadline: '1h' } } });
  const runId = textAt(body, '/id');
  const seen = await enter(`/runs/${runId}`, 'uma · user · demo');
  // The page polls, as a switch has no event.
  await seen.getByText(/the call .* of the tool lookup_order waits.*The shop is down/).waitFor();
  await seen.getByText('Deadline:').waitFor();
  await seen.getByRole('link', { name: 'Tools' }).click();
  const card = seen.getByRole('article', { name: 'lookup_order' });
  await card.getByText('The shop is down').waitFor();
  expect(await card.getByRole('link', { name: /Switch it/ }).count()).toBe(0);

  await page.getByRole('button', { name: 'Switch on… tool lookup_order' }).click();
  await field(page, 'textbox', 'Why').fill('The shop is back');
  await page.getByRole('button', { name: 'Switch on', exact: true }).click();
  await page.getByRole('row', { name: /tool lookup_order on The shop is back/ }).waitFor();
  await seen.goto(`${stack.ready.baseUrl}/console/runs/${runId}`);
  await seen.getByText('completed', { exact: true }).first().waitFor();
});

test('administrators see a switched-off model on the page of tools', async () => {
  const page = await enter('/admin/switches');
  await field(page, 'combobox', 'What').selectOption('model');
  await field(page, 'textbox', 'Its name').fill('default');
  await field(page, 'textbox', 'Why').fill('Too dear');
  await page.getByRole('button', { name: 'Switch off', exact: true }).click();
  await page.getByRole('row', { name: /model default off/ }).waitFor();
  await page.getByRole('link', { name: 'Tools' }).click();
  await page.getByText(/model default.*Too dear/).waitFor();
  const { body } = await (await as('admin', stack)).get('/admin/switches');
  expect(listAt(body, '/items')).toMatchObject([{ kind: 'model', name: 'default', state: 'off' }, { kind: 'tool' }]);
});

test('the audit page is filtered by its fields, and the filter is part of the address', async () => {
  const page = await enter('/admin/audit');
  const rows = page.getByRole('row');
  await page.getByRole('row', { name: /root.*tenant\.set.*acme/ }).waitFor();
  await page.getByLabel('Action').fill('switch.on');
  // The unfiltered list had the row, too.
  await page.getByRole('row', { name: /root.*tenant\.set.*acme/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /switch\.on tool\/lookup_order/ }).waitFor();
  await expect.poll(async () => await rows.count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('action')).toBe('switch.on');
  await page.getByLabel('From').fill('2100-01-01T00:00');
  await page.getByText('Nobody has done anything like that').waitFor();
  await page.reload();
  expect(await page.getByLabel('From').inputValue()).toBe('2100-01-01T00:00');
});
