import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** The usual locations of the browser. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** @throws Error with the installation command */
function findChromium(): string {
  const named = process.env['CHROMIUM'];
  const found = named === undefined ? PLACES.find((place) => existsSync(place)) : named;
  if (found !== undefined && existsSync(found)) return found;
  const wanted = '`apt-get install chromium` has one; CHROMIUM names one that is elsewhere';
  throw new Error(
    `The tests of the console need a Chromium, and there is none${named ? ` at ${named}` : ''}: ${wanted}`,
  );
}

/** Starts a browser for the tests of a file. Each page has its own session. Errors and policy violations of a page fail its test. */
export function useBrowser(): (options?: BrowserContextOptions) => Promise<Page> {
  let browser: Browser;
  const errors: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  });
  afterAll(async () => await browser?.close());
  afterEach(async () => {
    await Promise.all(browser.contexts().map(async (context) => await context.close()));
    expect(errors.splice(0)).toEqual([]);
  });
  return async (options = {}) => {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 1000 },
      timezoneId: 'UTC',
      ...options,
    });
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) errors.push(message.text());
    });
    return page;
  };
}
