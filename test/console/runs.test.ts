import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { aDefinition } from '../support/builders/builders.ts';
import { startRefund } from '../support/browser/refunds.ts';
import { enterConsole } from '../support/browser/enter-console.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { eventsOf, hasStatus, startAsking, startRun } from '../support/readers/api-runs.ts';
import { at, textAt } from '../support/readers/json-at.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';

/* Runs in a browser: followed while they go on, forked with other values and compared. */

const { start, as, consoleUrl } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
beforeAll(async () => void (stack = await start()), 120_000);

async function enter(path: string): Promise<Page> {
  const { baseUrl } = stack.ready;
  return await enterConsole(await openPage(), { consoleUrl: await consoleUrl(stack), baseUrl, path });
}

test('the page of a run follows the run across a reload until its end', async () => {
  const user = await as('user', stack);
  const approver = await as('approver', stack);
  const { runId, approvalId } = await startRefund(user, 'T-05');
  const page = await enter(`/runs/${runId}`);
  await page.getByText('waiting', { exact: true }).first().waitFor();
  await page.reload();
  await page.getByText('waiting', { exact: true }).first().waitFor();
  const { status } = await approver.post(`/api/approvals/${approvalId}/decision`, {
    decision: 'approve',
    reason: 'seen',
  });
  expect(status).toBe(200);
  await page.getByText('completed', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: 'Events' }).click();
  // A long list renders only its visible rows.
  await page.getByLabel('Find').fill('run.completed');
  await page.getByText('run.completed').first().waitFor();
  await page.getByRole('link', { name: 'Timeline' }).click();
  await page.getByRole('region', { name: 'Timeline', exact: true }).waitFor();
});

test('the console compares a fork with other values with its parent', async () => {
  const user = await as('user', stack);
  const { runId } = await startRefund(user, 'T-06');
  const page = await enter(`/runs/${runId}/state`);
  await page.getByRole('button', { name: 'Fork here…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork here' });
  await dialog.getByLabel('Take a channel’s value to edit it').selectOption({ index: 1 });
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await page.waitForURL((url) => /\/runs\/[0-9A-Z]{26}$/.test(url.pathname) && !url.pathname.endsWith(runId));
  const forkId = page.url().split('/').at(-1) ?? '';
  const fork = await user.untilRun(forkId, hasStatus('waiting', 'completed', 'failed'));
  expect(textAt(fork, '/parentRunId')).toBe(runId);

  await page.goto(`${stack.ready.baseUrl}/console/runs/compare/${runId}/${forkId}`);
  await page.getByText('They part').waitFor();
  await page.getByRole('region', { name: 'Ways' }).waitFor();
});

test('a refused edit of the state is corrected in its dialog, and overwrites no other edit', async () => {
  const admin = await as('admin', stack);
  const { runId } = await startRefund(await as('user', stack), 'T-03');
  const page = await enter(`/runs/${runId}`);
  await page.getByRole('button', { name: 'Edit state…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit state refund-triage' });
  const values = dialog.getByLabel('Values of channels');
  const send = dialog.getByRole('button', { name: 'Edit state', exact: true });
  await values.fill('{ "automaticLimit": "much" }');
  await send.click();
  await dialog.getByRole('alert').waitFor();

  const edited = await admin.send(`/api/runs/${runId}/state`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'if-match': '*' },
    body: '{ "values": { "automaticLimit": 120 } }',
  });
  expect(edited.status).toBe(200);
  await values.fill('{ "automaticLimit": 150 }');
  await send.click();
  await dialog.getByText('Somebody else has changed it').waitFor();
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Show what is different' }).click();
  await dialog.getByRole('row', { name: /automaticLimit.* 120/ }).waitFor();
  await send.click();
  await dialog.waitFor({ state: 'hidden' });
  const { body } = await admin.get(`/api/runs/${runId}/state`);
  expect(at(body, '/values/automaticLimit')).toBe(150);
});

test('the console does not send the input that was entered for one failed node to another', async () => {
  const admin = await as('admin', stack);
  const fails = { type: 'set', write: { log: '{{ 1 / 0 }}' }, onError: 'intervene' } as const;
  const graph = aDefinition({
    channels: { log: { reducer: 'append' } },
    nodes: { first: fails, second: fails },
    edges: [
      { from: '__start__', to: 'first' },
      { from: '__start__', to: 'second' },
    ],
  });
  const run = await startRun(admin, graph);
  const runId = textAt(run, '/id');
  const page = await enter(`/runs/${runId}`);
  await page.getByRole('button', { name: 'Skip…' }).click();
  const dialog = page.getByRole('dialog');
  const send = dialog.getByRole('button', { name: 'Skip', exact: true });
  await dialog.getByLabel('Output').fill('{ "log": 1 }');
  expect(await send.isEnabled()).toBe(true);
  const { status } = await admin.post(`/api/runs/${runId}/fail`, { id: textAt(run, '/waitingFor/0/id') });
  expect(status).toBe(202);
  await dialog.getByText('What this was for is not there any more').waitFor();
  expect(await send.isDisabled()).toBe(true);
});

const group = (page: Page) => page.getByRole('group', { name: 'Actions on many runs' });

test('the preview of a bulk action is loaded once, while runs continue', async () => {
  const page = await enter('/runs?status=waiting,running,paused');
  const trials: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/api/runs/bulk')) trials.push(request.method());
  });
  await page.getByRole('button', { name: 'Pause…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause many runs' });
  await dialog.getByText('Nothing is done yet').waitFor();
  const { runId } = await startRefund(await as('user', stack), 'T-04');
  await page.getByText(runId).waitFor();
  await dialog.getByText('Nothing is done yet').waitFor();
  expect(trials).toEqual(['POST']);
});

test('a bulk action on more runs than fit one request continues by the cursor', async () => {
  const page = await enter('/runs?graph=refund-triage');
  const first = { done: ['RUN-A'], failed: [], hasMore: true, nextCursor: 'after A' };
  const last = { done: ['RUN-B'], failed: [], hasMore: false, nextCursor: null };
  const cursors: unknown[] = [];
  await page.route('**/api/runs/bulk', async (route) => {
    const cursor = at(route.request().postDataJSON(), '/cursor');
    cursors.push(cursor);
    await route.fulfill({ json: cursor === undefined ? first : last });
  });
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel many runs' });
  await dialog.getByText('RUN-A').waitFor();
  await dialog.getByRole('button', { name: 'Next runs…' }).click();
  await dialog.getByText('RUN-B').waitFor();
  expect(cursors).toEqual([undefined, 'after A']);
  expect(await dialog.getByRole('button', { name: 'Next runs…' }).count()).toBe(0);
});

test.each([
  ['metadata=acme', '“acme” can’t be read'],
  ['metadata=customer%3D', 'can’t be read'],
  ['metadata=customer%3D1+customer%3D2', '“customer” is there twice'],
  ['status=waiting,asleep', '“asleep” is no status'],
  ['customer=acme', 'The address has “customer”, which is no filter'],
  ['graph=a&graph=b', 'The address has “graph” twice'],
])('an invalid search of runs such as %s finds nothing and allows no bulk action', async (query, problem) => {
  await startAsking(await as('user', stack));
  const page = await openPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/api\/runs(?:\/bulk)?$/.test(pathname)) asked.push(pathname);
  });
  const { baseUrl } = stack.ready;
  await enterConsole(page, { consoleUrl: await consoleUrl(stack), baseUrl, path: `/runs?${query}` });
  await page.getByRole('alert').filter({ hasText: problem }).waitFor();
  await page.getByText('The search can’t be read').waitFor();
  expect(await group(page).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0);
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await group(page).waitFor();
});

test('a bulk action cancels only the selected runs, after a dialog has described them and required a reason and their number', async () => {
  const user = await as('user', stack);
  const graph = aDefinition({
    name: 'many-of-them',
    channels: {},
    nodes: { ask: { type: 'approval', title: 'May I?' } },
    edges: [{ from: '__start__', to: 'ask' }],
  });
  expect((await user.post('/api/graphs', graph)).status).toBeLessThan(300);
  const begin = async (customer: string): Promise<string> => {
    const { body } = await user.post('/api/runs', { graph: 'many-of-them', metadata: { customer } });
    const id = textAt(body, '/id');
    await user.untilRun(id, hasStatus('waiting'));
    return id;
  };
  const wanted = [await begin('acme'), await begin('acme')];
  const other = await begin('other');
  const page = await enter('/runs');
  // Without a filter the buttons are disabled.
  await group(page).getByText('Tick runs, or look for some').waitFor();
  expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0);
  await page.getByLabel('Metadata').fill('customer=acme');
  await group(page).getByText('All that are found by metadata customer=acme').waitFor();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel many runs' });
  await dialog.getByText('All that are found by metadata customer=acme.').waitFor();
  for (const id of wanted) {
    const row = dialog.getByRole('listitem').filter({ hasText: id });
    await row.getByText('many-of-them').waitFor();
    await row.getByText('waiting').waitFor();
  }
  // A run that starts later is not part of the preview.
  const late = await begin('acme');
  const press = dialog.getByRole('button', { name: 'Cancel 2 runs' });
  expect(await press.isDisabled()).toBe(true);
  await dialog.getByLabel(/^Why/).fill('asked for twice');
  await dialog.getByLabel(/Type the number/).fill('3');
  expect(await press.isDisabled()).toBe(true);
  await dialog.getByLabel(/Type the number/).fill('2');
  await press.click();
  await dialog.getByText('Cancel: taken by 2 runs').waitFor();
  for (const id of wanted) {
    await user.untilRun(id, hasStatus('canceled'));
    expect(await eventsOf(user, id, 'run.canceled')).toMatchObject([{ reason: 'asked for twice' }]);
  }
  for (const id of [other, late]) expect(at((await user.get(`/api/runs/${id}`)).body, '/status')).toBe('waiting');
});

test('a bulk action on all runs needs an explicit request and their number', async () => {
  await startAsking(await as('user', stack));
  const page = await enter('/runs');
  await page.getByRole('button', { name: 'Act on all runs…' }).click();
  await group(page).getByText('All runs of the tenant, without any filter').waitFor();
  await page.getByRole('button', { name: 'Pause…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause many runs' });
  await dialog.getByText('All runs of the tenant, without any filter.').waitFor();
  await dialog.getByLabel(/Type the number/).waitFor();
  expect(await dialog.getByRole('button', { name: /^Pause \d+ runs?$/ }).isDisabled()).toBe(true);
});
