import { copyFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import manifest from '../../package.json' with { type: 'json' };
import { decisionPages, referencePages } from './found-pages.ts';
import { SECTIONS } from './sections.ts';
import type { PageEntry } from './sections.ts';

const REPOSITORY = manifest.repository.url.replace(/^git\+|\.git$/g, '');
const reference = { title: 'Reference', pages: referencePages() };
const decisions = { title: 'Decisions', pages: decisionPages() };
const operate = SECTIONS.findIndex(({ title }) => title === 'Operate');

/** The site of the documentation. A link to a page that is not there fails the build. */
export default defineConfig({
  title: 'Holdfast',
  description: manifest.description,
  lang: 'en',
  outDir: fileURLToPath(new URL('../../.site', import.meta.url)),
  markdown: { attrs: { disable: true }, config: (renderer) => renderer.core.ruler.push('adapt-page', adaptPage) },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Reference', link: '/reference/' },
      { text: 'Repository', link: REPOSITORY },
    ],
    sidebar: [...SECTIONS.slice(0, operate), reference, ...SECTIONS.slice(operate), decisions].map(toSidebar),
  },
  buildEnd: ({ outDir, srcDir }) => {
    const pages = [...SECTIONS, reference].flatMap((section) => section.pages).map(({ file }) => file);
    for (const file of ['llms.txt', ...pages]) copyFileSync(posix.join(srcDir, file), posix.join(outDir, file));
  },
});

function toSidebar({ title, pages }: { readonly title: string; readonly pages: readonly PageEntry[] }) {
  return {
    text: title,
    collapsed: title === 'Decisions',
    items: pages.map((page) => ({ text: page.title, link: `/${page.file.replace(/\.md$/, '')}` })),
  };
}

interface Token {
  readonly type: string;
  readonly children: readonly Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Page {
  readonly tokens: readonly Token[];
  readonly env: { readonly relativePath?: string };
}

/** Makes the pages, which GitHub shows as well, fit for the site. */
function adaptPage({ tokens, env }: Page): void {
  const inline = tokens.flatMap(({ children }) => children ?? []);
  // Braces in code are those of templates, not Vue's.
  for (const code of inline.filter(({ type }) => type === 'code_inline')) code.attrSet('v-pre', '');
  const folder = posix.dirname(posix.join('docs', env.relativePath ?? ''));
  for (const link of inline.filter(({ type }) => type === 'link_open')) leadToRepository(link, folder);
}

/** Lets a link to a file outside `docs` lead to the repository, since the site has only the pages. */
function leadToRepository(link: Token, folder: string): void {
  const href = link.attrGet('href') ?? '';
  const path = posix.join(folder, href);
  if (!/^[a-z]+:|^[#/]/.test(href) && !path.startsWith('docs/'))
    link.attrSet('href', `${REPOSITORY}/blob/main/${path}`);
}
