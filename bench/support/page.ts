import { readFile, writeFile } from 'node:fs/promises';
import { sized } from './size.ts';

const PAGE = new URL('../../docs/performance.md', import.meta.url);

/**
 * Writes the results of a bench into the page on performance, in place of earlier ones.
 * @param bench the name in the markers, and in `npm run bench:NAME`
 * @throws when the page has no markers for it
 */
export async function writeToPage(bench: string, text: string): Promise<void> {
  if (sized(false, true)) return;
  const page = await readFile(PAGE, 'utf8');
  const opening = `<!-- ${bench}: written by npm run bench:${bench} -->`;
  const [begin, end] = [page.indexOf(opening), page.indexOf(`<!-- /${bench} -->`)];
  if (begin < 0 || end < begin) throw new Error(`There are no markers for ${bench} in ${PAGE.pathname}`);
  await writeFile(PAGE, `${page.slice(0, begin + opening.length)}\n\n${text}\n\n${page.slice(end)}`);
}

/** Formats a table in Markdown. @param lines its rows; the first one is the head */
export function toTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(3, ...lines.map((line) => (line[at] ?? '').length)));
  const draw = (line: readonly string[]): string =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = lines;
  return [draw(head), draw(widths.map((width) => '-'.repeat(width))), ...body.map(draw)].join('\n');
}
