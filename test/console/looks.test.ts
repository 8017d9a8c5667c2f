import { mkdir } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { enterConsole } from '../support/browser/enter-console.ts';
import { startRefund } from '../support/browser/refunds.ts';
import type { ApiClient } from '../support/readers/api-client.ts';
import type { AskingRun } from '../support/readers/api-runs.ts';
import { useBrowser } from '../support/browser/use-browser.ts';
import { useNpmStart } from '../support/servers/npm-start.ts';
import type { Started } from '../support/servers/npm-start.ts';

/* The look of each page: accessibility checks by axe in both themes, small screens, and the pictures of docs/console.md. */

/** CONSOLE_PICTURES=write renews the pictures. */
const PICTURES = process.env['CONSOLE_PICTURES'] === 'write' ? 'docs/pictures/console' : null;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const { start, as, consoleUrl } = useNpmStart();
const openPage = useBrowser();
let stack: Started;
let asking: AskingRun;
beforeAll(async () => {
  stack = await start();
  const user = await as('user', stack);
  asking = await startRefund(user, 'T-06');
  await startRefund(user, 'T-05');
  await layDown(await as('admin', stack));
  if (PICTURES !== null) await mkdir(PICTURES, { recursive: true });
}, 120_000);

/** Creates data for the pages of administrators. */
async function layDown(admin: ApiClient): Promise<void> {
  const put = async (path: string, body: unknown) =>
    await admin.send(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const suspended = { reason: 'Its invoices are unpaid' };
  const answers = [
    await put('/admin/tenants/acme', { runsPerMinute: 60, costUsdPerDay: null, suspended }),
    await put('/admin/tenants/demo', { costUsdPerDay: 20 }),
    await put('/admin/switches/tool/issue_refund', { state: 'off', reason: 'The gateway is down until noon' }),
    await put('/admin/switches/model/default', { state: 'on', reason: 'The new prices are agreed' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
}

/** The pages with the names of their pictures and the person; `{approval}` is a pending approval, `{run}` its run. */
const PAGES: readonly (readonly [name: string, path: string, as: string])[] = [
  ['inbox', '/inbox?view=pending', 'ada · approver · demo'],
  ['approval', '/inbox/{approval}', 'ada · approver · demo'],
  ['runs', '/runs', 'root · admin · demo'],
  ['run', '/runs/{run}', 'root · admin · demo'],
  ['timeline', '/runs/{run}/timeline', 'root · admin · demo'],
  ['state', '/runs/{run}/state', 'root · admin · demo'],
  ['events', '/runs/{run}/events', 'root · admin · demo'],
  ['graphs', '/graphs', 'root · admin · demo'],
  ['graph', '/graphs/refund-triage', 'root · admin · demo'],
  ['edit', '/graphs/refund-triage/edit', 'root · admin · demo'],
  ['schedules', '/schedules', 'root · admin · demo'],
  ['webhooks', '/webhooks', 'root · admin · demo'],
  ['tools', '/tools', 'root · admin · demo'],
  ['admin', '/admin', 'root · admin · demo'],
  ['tenants', '/admin/tenants', 'root · admin · demo'],
  ['tenant', '/admin/tenants/acme', 'root · admin · demo'],
  ['switches', '/admin/switches', 'root · admin · demo'],
  ['audit', '/admin/audit', 'root · admin · demo'],
];
const THEMES = ['light', 'dark'] as const;

async function enter(page: Page, path: string, person: string): Promise<void> {
  const { baseUrl } = stack.ready;
  const shown = path.replace('{approval}', asking.approvalId).replace('{run}', asking.runId);
  await enterConsole(page, { consoleUrl: await consoleUrl(stack), baseUrl, path: shown, person });
  await expect.poll(async () => await page.locator('.loading').count()).toBe(0);
}

/** The serious findings of axe with their positions. */
async function findingsOf(page: Page): Promise<readonly string[]> {
  // The debugger injects axe, as the content security policy forbids foreign scripts.
  await page.evaluate(AXE);
  const { passed, findings } = await page.evaluate<{ passed: number; findings: string[] }>(`axe.run().then((found) => ({
    passed: found.passes.length,
    findings: found.violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)),
  }))`);
  // An empty page would have no findings either.
  expect(passed).toBeGreaterThan(10);
  return findings;
}

describe.each(THEMES)('accessibility in %s colors', (colorScheme) => {
  test.each(PAGES)('the console page %s has no serious accessibility issue', async (name, path, person) => {
    const page = await openPage({ colorScheme });
    await enter(page, path, person);
    expect(await findingsOf(page)).toEqual([]);
    if (PICTURES !== null) await page.screenshot({ path: `${PICTURES}/${name}-${colorScheme}.png` });
  });

  test('the sign-in page of the console has no serious accessibility issue', async () => {
    const page = await openPage({ colorScheme });
    await page.goto(`${stack.ready.baseUrl}/console/`);
    await page.getByLabel('A token').waitFor();
    expect(await findingsOf(page)).toEqual([]);
  });
});

test.each(PAGES)('the console page %s fits on a screen of 320 pixels', async (_name, path, person) => {
  const page = await openPage({ viewport: { width: 320, height: 640 } });
  await enter(page, path, person);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
});
