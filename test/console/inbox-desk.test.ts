import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { enterByToken, enterToken } from '../support/browser/enter-by-token.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import { hasStatus, startAsking } from '../support/readers/api-runs.ts';
import type { AskingRun } from '../support/readers/api-runs.ts';
import { listAt, textAt } from '../support/readers/json-at.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';

/* A queue of approvals in a browser: decisions concern what is visible, and drafts are kept. */

const { start, as, tokensFile } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
let user: ApiClient;
let approver: ApiClient;
let approver2: ApiClient;
beforeAll(async () => {
  stack = await start();
  [user, approver, approver2] = await Promise.all([as('user', stack), as('approver', stack), as('approver2', stack)]);
}, 120_000);

const PHONE = { viewport: { width: 390, height: 844 } };
const DESK = { viewport: { width: 1440, height: 900 } };

async function enter(caller: 'approver' | 'approver2', path = '/inbox', options: object = DESK): Promise<Page> {
  const { baseUrl } = stack.ready;
  return await enterByToken(await openPage(options), { tokensFile: tokensFile(), caller, baseUrl, path });
}

const ARGS_SCHEMA = {
  type: 'object',
  properties: { amount: { type: 'number' }, customer: { type: 'string' } },
  required: ['amount'],
} as const;

async function askAbout(title: string, over: Parameters<typeof startAsking>[1] = {}): Promise<AskingRun> {
  return await startAsking(user, {
    title,
    args: { customer: 'c-7', amount: 1200 },
    argsSchema: ARGS_SCHEMA,
    ...over,
  });
}

const decide = async (who: ApiClient, { approvalId }: AskingRun, body: object): Promise<void> => {
  const { status } = await who.post(`/api/approvals/${approvalId}/decision`, body);
  expect(status).toBe(200);
};

const form = (page: Page): Locator => page.getByRole('form', { name: 'Your decision' });
const amount = (page: Page): Locator => form(page).getByLabel('amount');
const titleOf = (page: Page, title: string): Locator => page.getByRole('heading', { level: 1, name: title });

/** True if the center of an element is visible: within the window and not covered. */
async function isSeen(locator: Locator): Promise<boolean> {
  return await locator.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const found = element.ownerDocument.elementFromPoint(left + width / 2, top + Math.min(height, 20) / 2);
    return found !== null && (element === found || element.contains(found));
  });
}

/** The content of the tab's session storage, by key. */
const keptIn = async (page: Page): Promise<string[]> =>
  await page.locator('body').evaluate((body) => Object.keys(body.ownerDocument.defaultView.sessionStorage));

/** Creates many approvals with long details. */
async function fillQueue(count: number): Promise<readonly AskingRun[]> {
  const details = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`fact ${n}`, `value ${n}`]));
  const asked: AskingRun[] = [];
  while (asked.length < count) asked.push(await askAbout(`Question ${asked.length}?`, { details }));
  return asked;
}

let queue: readonly AskingRun[];
const askedMany = async (): Promise<readonly AskingRun[]> => (queue ??= await fillQueue(16));

describe('an opened approval', () => {
  test('an approval opened at the end of a long list shows its title and arguments, and keys decide it only while they are visible', async () => {
    await askedMany();
    const page = await enter('approver', '/inbox?view=pending');
    const last = page.getByRole('link', { name: /Question 0\?/ });
    await last.click();
    await titleOf(page, 'Question 0?').waitFor();
    await amount(page).waitFor();
    expect(await isSeen(titleOf(page, 'Question 0?'))).toBe(true);
    expect(await isSeen(amount(page))).toBe(true);
    // The list has not scrolled.
    expect(await isSeen(last)).toBe(true);

    // While the title is not visible, the first press of the key scrolls to it, and decides nothing.
    await page.getByRole('heading', { name: 'Where it waits' }).scrollIntoViewIfNeeded();
    expect(await isSeen(amount(page))).toBe(false);
    expect(await isSeen(titleOf(page, 'Question 0?'))).toBe(true);
    await page.keyboard.press('a');
    await expect.poll(async () => await isSeen(amount(page))).toBe(true);
    expect(
      await form(page)
        .getByLabel(/Why it is right/)
        .count(),
    ).toBe(0);
    await page.keyboard.press('a');
    await form(page)
      .getByLabel(/Why it is right/)
      .waitFor();
    await page.keyboard.press('Escape');

    // The next approval is scrolled to the top, too.
    await page.getByRole('heading', { name: 'Where it waits' }).scrollIntoViewIfNeeded();
    await page.keyboard.press('k');
    await titleOf(page, 'Question 1?').waitFor();
    await amount(page).waitFor();
    expect([await isSeen(titleOf(page, 'Question 1?')), await isSeen(amount(page))]).toEqual([true, true]);
  });

  test.each([
    ['a wide screen', DESK],
    ['a phone', PHONE],
  ])(
    'an approval opened by its link on %s shows title and arguments, and its outcome stays visible',
    async (_, options) => {
      const run = await askAbout('May we pay it?', { details: 'Line\n\n'.repeat(80) });
      const page = await enter('approver', `/inbox/${run.approvalId}`, options);
      await amount(page).waitFor();
      expect([await isSeen(titleOf(page, 'May we pay it?')), await isSeen(amount(page))]).toEqual([true, true]);
      // Somebody else decides while the person reads the end of the page.
      await page.getByRole('heading', { name: 'Comments' }).scrollIntoViewIfNeeded();
      await decide(approver2, run, { decision: 'approve' });
      const notice = page.getByRole('status').filter({ hasText: 'It was decided while you looked at it' });
      await notice.waitFor();
      expect([await isSeen(titleOf(page, 'May we pay it?')), await isSeen(notice)]).toEqual([true, true]);
    },
  );

  test('an approval opened at the end of the list on a phone shows its top first, and after the decision a notice', async () => {
    await askedMany();
    const page = await enter('approver', '/inbox?view=pending', PHONE);
    await page.getByRole('link', { name: /Question 3\?/ }).click();
    await amount(page).waitFor();
    expect([await isSeen(titleOf(page, 'Question 3?')), await isSeen(amount(page))]).toEqual([true, true]);
    await form(page)
      .getByRole('button', { name: /^Approve/ })
      .click();
    await form(page)
      .getByRole('button', { name: /^Approve/ })
      .click();
    const notice = page.getByRole('status').filter({ hasText: 'You have approved it.' });
    await notice.waitFor();
    expect(await isSeen(notice)).toBe(true);
  });

  test('an opened approval ignores keys while a dialog is open', async () => {
    const run = await askAbout('Covered?');
    const page = await enter('approver', `/inbox/${run.approvalId}`);
    await amount(page).waitFor();
    await page.locator('body').evaluate((body) => {
      const dialog = body.ownerDocument.createElement('dialog');
      body.append(dialog);
      dialog.showModal();
    });
    await page.keyboard.press('a');
    expect(
      await form(page)
        .getByLabel(/Why it is right/)
        .count(),
    ).toBe(0);
    await page.locator('dialog').evaluate((dialog) => dialog.remove());
    await page.keyboard.press('a');
    await form(page)
      .getByLabel(/Why it is right/)
      .waitFor();
  });
});

test('the console orders decided approvals by the time of decision, although many later approvals wait', async () => {
  const [first, second] = [await askAbout('Decided last'), await askAbout('Decided first')];
  await decide(approver, second, { decision: 'reject', reason: 'no' });
  await decide(approver, first, { decision: 'approve' });
  await Promise.all(Array.from({ length: 60 }, async (_, n) => await askAbout(`Waits ${n}`)));
  const page = await enter('approver', '/inbox?view=decided');
  const rows = page.locator('.approvals > li');
  await rows.filter({ hasText: 'Decided first' }).waitFor();
  const titles = await rows.locator('.approval-title').allTextContents();
  expect(titles.slice(0, 2)).toEqual(['Decided last', 'Decided first']);
  expect(titles.filter((title) => title.startsWith('Waits'))).toEqual([]);
  expect(await page.getByText('Nothing is decided yet').count()).toBe(0);
});

test('a second approver sees who has changed an argument, with the value before and after', async () => {
  const policy = { roles: ['approver'], quorum: 2 };
  const run = await askAbout('Pay 1200 EUR to Acme GmbH?', { policy });
  const page = await enter('approver2', `/inbox/${run.approvalId}`);
  await page.getByText('As proposed').waitFor();
  await decide(approver, run, { decision: 'approve', args: { customer: 'c-7', amount: 1100 } });
  const notice = page.getByRole('status').filter({ hasText: 'The arguments are not those that were asked for' });
  await notice.getByText('1200').waitFor();
  await notice.getByText('1100').waitFor();
  await notice.getByText('ada', { exact: true }).waitFor();
  expect(await isSeen(notice)).toBe(true);
  await form(page).getByText('It was 1200 when it was asked; ada has changed it.').waitFor();
  expect(await amount(page).inputValue()).toBe('1100');
  const sent = page.waitForRequest(/\/decision$/);
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  const request = await sent;
  const { body } = await user.get(`/api/approvals/${run.approvalId}`);
  expect(request.headers()['if-match']).toBe(`"${textAt(body, '/digest')}"`);
  expect(request.url()).toContain(`/api/approvals/${encodeURIComponent(run.approvalId)}/decision`);
  const done = await user.untilRun(run.runId, hasStatus('completed'));
  expect(JSON.stringify(done)).toContain('1100');
});

describe('the draft for an approval', () => {
  test('the draft for an approval survives the Escape key, opening another approval, Back and a reload, and is deleted by the decision', async () => {
    const [run, other] = [await askAbout('Kept?'), await askAbout('Another?')];
    const page = await enter('approver', `/inbox/${run.approvalId}?view=pending`);
    const back = page.getByText('What you had written here is back.');
    await amount(page).fill('77');
    await page.keyboard.press('Escape');
    // The first Escape only takes the focus from the field.
    await amount(page).waitFor();
    await page.keyboard.press('Escape');
    await form(page).waitFor({ state: 'detached' });
    await page.goBack();
    await back.waitFor();
    expect(await amount(page).inputValue()).toBe('77');
    await page.locator(`.approvals a[href*="${other.approvalId}"]`).click();
    await titleOf(page, 'Another?').waitFor();
    await amount(page).waitFor();
    expect(await amount(page).inputValue()).toBe('1200');
    await page.goBack();
    await titleOf(page, 'Kept?').waitFor();
    expect(await amount(page).inputValue()).toBe('77');
    await page.keyboard.press('a');
    await page.keyboard.type('seen it');
    await page.reload();
    await back.waitFor();
    expect(await amount(page).inputValue()).toBe('77');
    await page.keyboard.press('a');
    expect(
      await form(page)
        .getByLabel(/Why it is right/)
        .inputValue(),
    ).toBe('seen it');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'You have approved it.' }).waitFor();
    expect((await keptIn(page)).filter((key) => key.includes('draft'))).toEqual([]);
  });

  test('the draft for an approval is not used for a changed request, and is hidden from another person', async () => {
    const run = await askAbout('Changed?', { policy: { roles: ['approver'], quorum: 2 } });
    const page = await enter('approver2', `/inbox/${run.approvalId}`);
    await amount(page).fill('5');
    await decide(approver, run, { decision: 'approve', args: { customer: 'c-7', amount: 900 } });
    await page.getByText('The question has changed since you wrote something for it.').waitFor();
    expect(await amount(page).inputValue()).toBe('900');
    await page.reload();
    await page.getByText('The question has changed since you wrote something for it.').waitFor();
    expect(await amount(page).inputValue()).toBe('900');
    await page.getByRole('button', { name: 'Drop it' }).click();
    await page.reload();
    await amount(page).waitFor();
    expect(await page.getByText('The question has changed since').count()).toBe(0);
  });

  test('the draft for an approval survives the end of a session, and only its author sees it again', async () => {
    const run = await askAbout('Through the end?');
    const page = await enter('approver', `/inbox/${run.approvalId}`);
    await amount(page).fill('31');
    await form(page)
      .getByRole('button', { name: /^Approve/ })
      .click();
    // At the last moment, as a request in the background could end the session before the decision is sent.
    await page.route('**/api/**', async (route) => await route.fulfill({ status: 401, json: {} }));
    await form(page)
      .getByRole('button', { name: /^Approve/ })
      .click();
    await page.getByText('Your session has ended').waitFor();
    await page.getByText('What you have written is kept in this tab').waitFor();
    await page.unroute('**/api/**');
    await enterToken(page, { tokensFile: tokensFile(), caller: 'approver2' });
    await amount(page).waitFor();
    expect(await amount(page).inputValue()).toBe('1200');
    // Signing out warns that drafts would be lost; the person cancels it here.
    const asked: string[] = [];
    page.once('dialog', async (dialog) => {
      asked.push(dialog.message());
      await dialog.dismiss();
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(asked).toHaveLength(1);
    await page
      .locator('body')
      .evaluate((body) => body.ownerDocument.defaultView.sessionStorage.removeItem('holdfast.session'));
    await page.reload();
    await enterToken(page, { tokensFile: tokensFile(), caller: 'approver' });
    await amount(page).waitFor();
    expect(await amount(page).inputValue()).toBe('31');
  });

  test('the browser warns before it closes a tab with the draft for an approval', async () => {
    const run = await askAbout('Closed?');
    const page = await enter('approver', `/inbox/${run.approvalId}`);
    await amount(page).click();
    await amount(page).fill('8');
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
  });
});

test("the page of an approval shows the agent's call with the customer's question and the results of tools", async () => {
  const agent: unknown = JSON.parse(
    await readFile(new URL('../../examples/agent/refund-agent.json', import.meta.url), 'utf8'),
  );
  expect((await user.post('/api/graphs', agent)).status).toBeLessThan(300);
  const asked = 'Refund A-1012 and A-1029, please.';
  const { body } = await user.post('/api/runs', {
    graph: 'refund-agent',
    input: { messages: { role: 'user', content: asked } },
  });
  const run = await user.untilRun(textAt(body, '/id'), hasStatus('waiting'));
  const id = textAt(run, '/waitingFor/0/id');
  const page = await enter('approver');
  const row = page.locator(`.approvals a[href*="${id}"]`);
  await row.getByText(/amount 249.9/).waitFor();
  await row.getByText('in refund-agent').waitFor();
  await row.click();
  const head = page.locator('.approval-head');
  await head.getByText(/issue_refund · amount 249.9 · .*order A-1029.* · in refund-agent/).waitFor();
  const why = page.getByRole('region', { name: 'What led to it' });
  await why.getByRole('article', { name: 'user says' }).getByText(asked).waitFor();
  await why.getByRole('article', { name: 'tool says' }).filter({ hasText: 'A-1029' }).first().waitFor();
  await why.getByRole('article', { name: 'assistant says' }).last().getByText('calls issue_refund').first().waitFor();
  expect(listAt(run, '/waitingFor')).toHaveLength(1);
});
