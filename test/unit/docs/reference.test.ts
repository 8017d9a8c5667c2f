import { SETTINGS } from '../../../src/config/settings.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PAGES } from '../../../reference/all-pages.ts';
import { renderIndex, renderPage } from '../../../reference/render-page.ts';
import { VARIABLES } from '../../../reference/texts/environment.ts';
import { FUNCTIONS, STATE_OF_EXAMPLES } from '../../../reference/texts/functions.ts';
import { REDUCER_TEXTS } from '../../../reference/texts/reducers.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { toCatalog } from '../../../src/config/to-catalog.ts';
import { createReduceContext } from '../../../src/graph/channels/reducer.ts';
import { BUILT_IN_REDUCERS } from '../../../src/graph/channels/channel.ts';
import { parseExpression } from '../../../src/graph/expression/index.ts';
import { validateGraph } from '../../../src/graph/validate/index.ts';
import { toJson } from '../../../src/graph/values/index.ts';
import type { Json } from '../../../src/graph/values/index.ts';
import { readSources } from '../../support/readers/source-files.ts';

/* `npm run docs:reference` writes the pages anew. */

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const parse = (text: string): Json => toJson(JSON.parse(text));
/** The page about HTTP needs a server: `test/unit/api/http/description.test.ts` has it. */
const pages = PAGES.filter(({ name }) => name !== 'http');

test.each(pages)('docs/reference/$name.md equals the page that is generated from the source', async (page) => {
  expect(read(`docs/reference/${page.name}.md`)).toBe(await renderPage(page));
});

test('docs/reference/index.md lists every page', async () => {
  expect(read('docs/reference/index.md')).toBe(await renderIndex(PAGES));
});

test.each(pages)('the examples of docs/reference/$name.md are graphs without issues', async ({ name }) => {
  const catalog = toCatalog(await loadConfig('holdfast.config.ts'));
  const functions = { score_risk: { effect: 'idempotent' as const } };
  const examples = [...read(`docs/reference/${name}.md`).matchAll(/^```json\n([^]*?)^```$/gm)];
  for (const [, text = ''] of examples) expect(validateGraph(parse(text), { ...catalog, functions })).toEqual([]);
});

describe('docs/reference/expressions.md', () => {
  test.each(FUNCTIONS)('$example gives $value', ({ name, example, value }) => {
    expect(example).toContain(name);
    expect(parseExpression(example, ['state']).evaluate({ state: STATE_OF_EXAMPLES })).toEqual(JSON.parse(value));
  });

  test('lists every registered function', () => {
    const page = read('docs/reference/expressions.md');
    const source = read('src/graph/expression/functions.ts') + read('src/graph/expression/time.ts');
    const names = [...source.matchAll(/(?:add\('(?:\w+\.)?|^ {2}(?=get))([A-Za-z]+)_?[(:]/gm)].map(
      ([, name = '']) => name,
    );
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

test.each(Object.entries(REDUCER_TEXTS))(
  'the example of the reducer %s has the documented result',
  (name, { begins, example }) => {
    const reducer = Object.entries(BUILT_IN_REDUCERS).find(([one]) => one === name)?.[1];
    const [current, update, after] = example.map(parse);
    expect(reducer?.initial).toEqual(parse(begins));
    expect(
      reducer?.reduce(
        current ?? null,
        update ?? null,
        createReduceContext(() => 'new'),
      ),
    ).toEqual(after);
  },
);

test('docs/reference/environment.md lists every variable that the source reads', () => {
  const texts = readSources().map(({ path }) => read(`src/${path}`));
  const named = texts.flatMap((text) => [...text.matchAll(/\b(?:HOLDFAST|TEMPORAL)_[A-Z_]+\b/g)].map(([name]) => name));
  const known = [...Object.keys(SETTINGS), ...VARIABLES.map(({ name }) => name)];
  expect(new Set(named).size).toBeGreaterThan(10);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !texts.some((text) => text.includes(name)))).toEqual([]);
});

test('an asterisk after a label of the API description is escaped', () => {
  expect(read('docs/reference/metrics.md')).toContain('`graph`\\*, `model`\\*');
});
