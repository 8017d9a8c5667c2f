import type { Scrape } from './evaluate-queries.ts';

const EVERY_MS = 15_000;
const SCRAPES = [0, 1, 2, 3, 4];

/** The scrapes of a target within a minute. All counters of the text rise equally between scrapes. */
export function scrapesOf(text: string): readonly Scrape[] {
  const now = Date.now();
  return SCRAPES.map((scrape) => ({
    at: now - (SCRAPES.length - 1 - scrape) * EVERY_MS,
    text: later(text, scrape),
  }));
}

function later(text: string, scrape: number): string {
  const up = 1 + scrape;
  return text.replaceAll(COUNTED, (_, series: string, value: string) => `${series} ${Number(value) * up}`);
}

const COUNTED = /^(\w+_(?:total|count|sum|bucket)(?:\{.*\})?) (\S+)$/gm;
