import type { Page } from 'playwright-core';

interface Entry {
  /** An address of the console that signs in. */
  readonly consoleUrl: string;
  readonly baseUrl: string;
  /** Below `/console`. */
  readonly path: string;
  /** One of the people of the local stack, as the menu at the side names them. */
  readonly person?: string;
}

/** Signs in by a one-time code, switches to a person and opens a page, until its heading is visible. */
export async function enterConsole(
  page: Page,
  { consoleUrl, baseUrl, path, person = 'root · admin · demo' }: Entry,
): Promise<Page> {
  await page.goto(consoleUrl);
  await page.getByLabel('Who you are').selectOption({ label: person });
  await page.goto(`${baseUrl}/console${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return page;
}
