import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';
import formatting from '../.oxfmtrc.json' with { type: 'json' };
import type { JsonObject } from '../src/graph/values/index.ts';
import { paragraphs } from './markdown.ts';
import type { Page } from './page.ts';

const EXAMPLES = new URL('../examples/reference/', import.meta.url);
const NOTE = '<!-- Written by `npm run docs:reference` from the source. -->';

/** Returns the content of a page's file. @param api the API's description; only the page about HTTP reads it */
export async function renderPage(page: Page, api: JsonObject = {}): Promise<string> {
  const example = (name: string): string => readFileSync(new URL(`${name}.json`, EXAMPLES), 'utf8');
  return await formatted(page.name, paragraphs(NOTE, `# ${page.title}`, page.render({ api, example })));
}

/** Returns the content of the page that lists all others. */
export async function renderIndex(pages: readonly Page[]): Promise<string> {
  const list = pages.map(({ name, title, summary }) => `- [${title}](${name}.md): ${summary}`).join('\n');
  return await formatted('index', paragraphs(NOTE, '# Reference', list));
}

async function formatted(name: string, text: string): Promise<string> {
  const { printWidth, singleQuote } = formatting;
  const { code, errors } = await format(`${name}.md`, text, { printWidth, singleQuote });
  if (errors.length > 0) throw new Error(`${name}.md can't be formatted`);
  return code;
}
