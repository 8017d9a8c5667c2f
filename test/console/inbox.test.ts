import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../support/readers/api-client.ts';
import { eventsOf, hasStatus, startAsking } from '../support/readers/api-runs.ts';
import { at, listAt, textAt } from '../support/readers/json-at.ts';
import { enterByToken } from '../support/browser/enter-by-token.ts';
import { startRefund } from '../support/browser/refunds.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';
import { killProcessTree } from '../support/servers/process-family.ts';

/* Approvals of real runs in a browser. The tests depend on their order. */

const { start, as, tokensFile } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
let user: ApiClient;
beforeAll(async () => {
  stack = await start();
  user = await as('user', stack);
}, 120_000);

const enter = async (caller: 'approver' | 'approver2', path = '/inbox'): Promise<Page> =>
  await enterByToken(await openPage(), { tokensFile: tokensFile(), caller, baseUrl: stack.ready.baseUrl, path });

const decisionsOf = async (approvalId: string) =>
  listAt((await user.get(`/api/approvals/${approvalId}`)).body, '/decisions');

/** Repeats a request whose outcome is unknown: a worker that has just started may take long to replay a run. */
async function approveUntilKnown(page: Page): Promise<void> {
  const approve = page.getByRole('button', { name: /^Approve/ });
  const isUnknown = page.getByText(/No answer has come|It is not known yet if it was taken/);
  // The button is disabled while a request is in flight.
  while (await isUnknown.isVisible()) await approve.click({ timeout: 1_000 }).catch(() => undefined);
}

let asked: ReturnType<typeof startRefund> | undefined;
/** A pending approval that no test decides. */
const askedOnce = async () => await (asked ??= startRefund(user, 'T-03'));

const says = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });

describe('an approval', () => {
  test('an approval is found, edited and approved by keyboard only', { timeout: 60_000 }, async () => {
    const { runId, approvalId } = await startRefund(user, 'T-06');
    const page = await enter('approver');
    await page.getByRole('link', { name: /Refund 420 USD/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('form', { name: 'Your decision' }).waitFor();
    await page.keyboard.press('e');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('300');
    await page.getByRole('row', { name: 'changed /amount 420 300' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('The lens is scratched');
    await page.keyboard.press('Enter');
    await says(page, 'You have approved it. The run goes on.').waitFor();
    const [decision, ...others] = await decisionsOf(approvalId);
    expect(others).toEqual([]);
    expect(decision).toMatchObject({
      by: 'ada',
      args: { order: 'A-1006', amount: 300 },
      reason: 'The lens is scratched',
    });
    await user.untilRun(runId, hasStatus('completed'));
    const paid = await eventsOf(user, runId, 'tool.requested');
    expect(paid.map((event) => at(event, '/args/amount'))).toContain(300);
  });

  test('an approval is not approved while a field of its form is invalid, also in the step of the reason', async () => {
    const { approvalId } = await startAsking(user, {
      args: { amount: 300, place: { city: 'Bern' } },
      argsSchema: {
        type: 'object',
        properties: { amount: { type: 'number' }, place: { type: 'object' } },
        required: ['amount'],
      },
    });
    const page = await enter('approver', `/inbox/${approvalId}`);
    const sent: string[] = [];
    page.on('request', (request) => void (request.url().endsWith('/decision') && sent.push(request.url())));
    const form = page.getByRole('form', { name: 'Your decision' });
    await form.getByLabel('amount').waitFor();
    await page.keyboard.press('a');
    const reason = form.getByLabel(/Why it is right/);
    const wrong = async (field: string, typed: string, problem: RegExp): Promise<void> => {
      const before = await form.getByLabel(field).inputValue();
      await form.getByLabel(field).fill('');
      await form.getByLabel(field).pressSequentially(typed);
      await reason.press('Enter');
      await form.getByRole('alert').filter({ hasText: problem }).waitFor();
      await form.getByLabel(field).and(page.locator(':focus')).waitFor();
      expect(await form.getByText('As proposed').count()).toBe(0);
      expect(await form.getByRole('button', { name: /curl/i }).count()).toBe(0);
      await form.getByLabel(field).fill(before);
    };
    await wrong('amount', '', /This is needed/);
    await wrong('amount', '-', /A number is needed/);
    await wrong('place', '{', /This is no JSON/);
    expect(sent).toEqual([]);
    await reason.press('Enter');
    await says(page, 'You have approved it.').waitFor();
    expect(sent).toHaveLength(1);
  });

  test(
    'the console accepts the first of two decisions of an approval, and shows the second person who was first',
    { timeout: 60_000 },
    async () => {
      const { approvalId } = await startRefund(user, 'T-05');
      const pages = await Promise.all([
        enter('approver', `/inbox/${approvalId}`),
        enter('approver2', `/inbox/${approvalId}`),
      ]);
      for (const page of pages) {
        await page.getByRole('form', { name: 'Your decision' }).waitFor();
        await page.keyboard.press('a');
        await page.keyboard.type('checked');
      }
      await Promise.all(pages.map(async (page) => await page.keyboard.press('Enter')));
      const [decision, ...others] = await expect
        .poll(async () => await decisionsOf(approvalId))
        .toHaveLength(1)
        .then(async () => await decisionsOf(approvalId));
      expect(others).toEqual([]);
      const first = textAt(decision ?? null, '/by');
      const [winner, loser] = first === 'ada' ? pages : pages.toReversed();
      await winner?.getByRole('status').filter({ hasText: 'You have approved it.' }).waitFor();
      await loser
        ?.getByRole('status')
        .filter({ hasText: /Somebody was first|was decided while/ })
        .waitFor();
      await loser?.getByText(first).first().waitFor();
    },
  );

  test.each([
    [410, 'APPROVAL_EXPIRED', 'It was too late'],
    [412, 'APPROVAL_CHANGED', 'It shows something else by now'],
  ])('an approval shows its outcome after the API refuses a decision with %i %s', async (status, code, said) => {
    const { approvalId } = await askedOnce();
    const page = await enter('approver', `/inbox/${approvalId}`);
    await page.getByRole('form', { name: 'Your decision' }).waitFor();
    const at = `${stack.ready.baseUrl}/api/approvals/${approvalId}`;
    const keys: (string | undefined)[] = [];
    await page.route(`${at}/decision`, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      const problem = {
        type: 'about:blank',
        title: code,
        status,
        code,
        detail: `The answer of this test`,
        instance: '/',
      };
      await route.fulfill({ status, contentType: 'application/problem+json', json: problem });
    });
    // The answer to later reads.
    const { body } = await user.get(`/api/approvals/${approvalId}`);
    const changed = Object.assign({}, body, { digest: 'another', args: { order: 'A-1003', amount: 50 } });
    await page.route(at, async (route) => await route.fulfill({ json: changed }));
    const decide = async (): Promise<void> => {
      await page.keyboard.press('a');
      await page.keyboard.type('checked');
      await page.keyboard.press('Enter');
    };
    await decide();
    await says(page, said).waitFor();
    await page
      .getByRole('form', { name: 'Your decision' })
      .getByLabel('amount')
      .and(page.locator('[value="50"]'))
      .waitFor();
    if (status === 412) await page.getByRole('row', { name: 'changed /args/amount 100.01 50' }).waitFor();
    await decide();
    await expect.poll(() => keys.length).toBe(2);
    // A new form has a new idempotency key.
    expect(keys[0]).not.toBe(keys[1]);
    expect(await decisionsOf(approvalId)).toEqual([]);
  });

  test('an approval with untrusted markup shows the markup as text, and runs no script', async () => {
    const link = '[a link](javascript:document.title=1) and [another](https://shop.example/x)';
    const details = `**Bold** <img src=x onerror="document.title='ran'"> <script>document.title='ran'</script> ${link}`;
    const { approvalId } = await startAsking(user, { details, title: '<b>May I?</b>' });
    const page = await enter('approver', `/inbox/${approvalId}`);
    await page.getByRole('heading', { name: '<b>May I?</b>' }).waitFor();
    const shown = page.getByLabel('Details', { exact: true });
    expect(await shown.locator('strong').allTextContents()).toEqual(['Bold']);
    expect(await shown.locator('img, script, [onerror]').count()).toBe(0);
    expect(await shown.locator('a[href]').evaluateAll((links) => links.map((one) => one.getAttribute('href')))).toEqual(
      ['https://shop.example/x'],
    );
    expect(await page.title()).toBe('<b>May I?</b> · Holdfast');
  });

  test('an approval shows the whole request: arguments without a field, and text that Markdown omits', async () => {
    const { approvalId } = await startAsking(user, {
      title: 'Pay \u202e001',
      details: 'Seen.&#x202e;\n\n[note]: https://shop.example "It is paid twice"',
      args: { order: 'A-1', account: 'DE\u200b00' },
      argsSchema: { type: 'object', properties: { order: { type: 'string' } } },
    });
    const page = await enter('approver', `/inbox/${approvalId}`);
    await page.getByRole('heading', { name: String.raw`Pay \u{202e}001`, exact: true }).waitFor();
    const form = page.getByRole('form', { name: 'Your decision' });
    expect(await form.getByLabel('order').inputValue()).toBe('A-1');
    expect(await form.getByLabel('account').inputValue()).toBe(String.raw`"DE\u200b00"`);
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText(String.raw`Seen.\u{202e}`, { exact: true }).waitFor();
    await details.getByText('As it was written').click();
    await details.getByText('It is paid twice').waitFor();
  });

  test('an approval form that the approver does not edit approves the proposed arguments', async () => {
    const { approvalId } = await startAsking(user, {
      args: { tags: ['b', 'a', 'b'], note: '' },
      argsSchema: {
        type: 'object',
        properties: {
          express: { type: 'boolean', default: true },
          tags: { type: 'array', items: { enum: ['a', 'b'] } },
          note: { type: 'string' },
        },
      },
    });
    const page = await enter('approver', `/inbox/${approvalId}`);
    const express = page.getByRole('form', { name: 'Your decision' }).getByLabel('express');
    await express.and(page.locator(':indeterminate')).waitFor();
    const asked = page.waitForRequest(/\/decision$/);
    await page.getByText('As proposed').waitFor();
    await express.click();
    await page.getByRole('row', { name: /express true/ }).waitFor();
    await express.click();
    await page.getByRole('row', { name: /express false/ }).waitFor();
    await page.reload();
    await page.getByText('What you had written here is back.').waitFor();
    await page.getByRole('row', { name: /express false/ }).waitFor();
    await page.getByRole('button', { name: 'Begin anew' }).click();
    await page.getByText('As proposed').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    expect((await asked).postDataJSON()).toEqual({ decision: 'approve' });
    await says(page, 'You have approved it.').waitFor();
  });

  test('an approver can send a reminder of an approval, and assign it to somebody else', async () => {
    const { approvalId } = await startAsking(user);
    const page = await enter('approver', `/inbox/${approvalId}`);
    const part = page.getByRole('region', { name: 'Remind or reassign' });
    await part.getByRole('button', { name: 'Remind' }).click();
    await part.getByText('Reminded of').waitFor();
    await part.getByText('Give it to others').click();
    await part.getByLabel('People').fill('bob');
    await part.getByRole('button', { name: 'Reassign' }).click();
    await part.getByText('It is decided by bob now.').waitFor();
    await page.getByText('This does not wait for you. It is decided by: bob.').waitFor();
    expect((await user.get(`/api/approvals/${approvalId}`)).body).toMatchObject({
      policy: { users: ['bob'] },
      progress: { needed: 1, by: [] },
      remindedAt: expect.any(String),
    });
  });

  test('an approval shows its form although its graph cannot be loaded', { timeout: 60_000 }, async () => {
    const { approvalId } = await askedOnce();
    const page = await enter('approver');
    await page.locator(`a[href*="${approvalId}"]`).first().waitFor();
    await page.route('**/console/assets/**', async (route) => await route.abort());
    await page.locator(`a[href*="${approvalId}"]`).first().click();
    await page.getByRole('alert').filter({ hasText: 'This part could not be loaded' }).waitFor();
    expect(await page.getByRole('form', { name: 'Your decision' }).count()).toBe(1);
  });

  test(
    'an approval that is open when all processes are killed is decided once afterwards',
    { timeout: 120_000 },
    async () => {
      const { runId, approvalId } = await startRefund(user, 'T-04');
      const page = await enter('approver', `/inbox/${approvalId}`);
      await page.getByRole('form', { name: 'Your decision' }).waitFor();
      await page.keyboard.press('a');
      await page.keyboard.type('checked before the crash');
      await killProcessTree(stack.process);
      await page.keyboard.press('Enter');
      await page.getByText('No answer has come').waitFor();
      stack = await start(undefined, Number(new URL(stack.ready.baseUrl).port));
      await approveUntilKnown(page);
      await says(page, 'You have approved it.').waitFor();
      const decisions = await decisionsOf(approvalId);
      expect(decisions).toMatchObject([{ by: 'ada', reason: 'checked before the crash' }]);
      await user.untilRun(runId, hasStatus('completed'));
    },
  );
});
