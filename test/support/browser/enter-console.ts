import type { Page } from 'playwright-core';

interface Entry {
  /** A console address that signs in its visitor. */
  readonly consoleUrl: string;
  readonly baseUrl: string;
  /** The path below `/console`. */
  readonly path: string;
  /** A user of the local stack, by the name in the side menu. */
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
