import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

interface TokenEntry {
  readonly tokensFile: string;
  readonly caller: 'approver' | 'approver2' | 'user';
  readonly baseUrl: string;
  /** The path below `/console`. */
  readonly path: string;
}

/** Opens a page of the console and signs in with a token, using the keyboard. */
export async function enterByToken(page: Page, { tokensFile, caller, baseUrl, path }: TokenEntry): Promise<Page> {
  await page.goto(`${baseUrl}/console${path}`);
  await enterToken(page, { tokensFile, caller });
  return page;
}

/** Enters a token on the sign-in page. */
export async function enterToken(
  page: Page,
  { tokensFile, caller }: Pick<TokenEntry, 'tokensFile' | 'caller'>,
): Promise<void> {
  const tokens: Record<string, string> = JSON.parse(await readFile(tokensFile, 'utf8'));
  await page.getByLabel('A token').focus();
  await page.keyboard.insertText(tokens[caller] ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
}
