import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { decisionPages, referencePages } from '../../../docs/.vitepress/found-pages.ts';
import { SECTIONS } from '../../../docs/.vitepress/sections.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { renderLlms } from '../../../reference/render-llms.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const files = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !file.startsWith('.') && !file.startsWith('node_modules'))
  .toSorted();

/** The anchors of a page, as GitHub makes them. */
function anchorsIn(page: string): readonly string[] {
  const headings = [...page.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('the documentation site and llms.txt list every page of docs', () => {
  const listed = [...SECTIONS.flatMap(({ pages }) => pages), ...referencePages(), ...decisionPages()];
  expect([...listed.map(({ file }) => file), 'index.md', 'reference/index.md'].toSorted()).toEqual(files);
});

test('docs/llms.txt equals the output of npm run docs:reference', () => {
  expect(read('docs/llms.txt')).toBe(renderLlms());
});

test.each([...files.map((file) => `docs/${file}`), 'README.md'])(
  'the links of the page %s lead to existing pages and headings',
  (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const wrong = links.filter(([, file = '', anchor]) => {
      const target = file === '' ? path : posix.join(posix.dirname(path), file);
      return !existsSync(new URL(target, root)) || (anchor !== undefined && !anchorsIn(read(target)).includes(anchor));
    });
    expect(wrong.map(([link]) => link)).toEqual([]);
  },
);

test.each([...files.map((file) => `docs/${file}`), 'README.md', 'templates/shared/AGENTS.md'])(
  'the commands that the page %s names exist',
  (path) => {
    const named = [...read(path).matchAll(/(?:`|npx |^)holdfast ([a-z]+)/gm)].map(([, name = '']) => name);
    expect(named.filter((name) => name !== 'help' && !COMMANDS.has(name))).toEqual([]);
  },
);
