import { existsSync, readFileSync } from 'node:fs';
import { parseAst, transformWithEsbuild } from 'vite';
import { describe, expect, test } from 'vitest';
import { isJsonList, isJsonObject } from '../../../src/graph/values/json.ts';
import { toJson } from '../../../src/graph/values/to-json.ts';
import type { Json } from '../../../src/graph/values/json.ts';
import { at } from '../../support/readers/json-at.ts';

/* Each row of docs/failure-semantics.md names tests; a test that is renamed or goes takes its row's proof with it. */

const fileOf = (path: string): URL => new URL(`../../../${path}`, import.meta.url);
const page = readFileSync(fileOf('docs/failure-semantics.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|\s*(?:case\s|-)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

interface Proof {
  readonly path: string;
  readonly title: string;
}

/** A cell names files as links, and after each the titles of tests in it. */
function proofsIn(cell: string): readonly Proof[] {
  const parts = [...cell.matchAll(/\]\(\.\.\/(?<path>[^)]+)\)|"(?<title>[^"]+)"/g)];
  let file = '';
  return parts.flatMap(({ groups = {} }) => {
    file = groups['path'] ?? file;
    return groups['title'] === undefined ? [] : [{ path: file, title: groups['title'] }];
  });
}

const IS_RUN_BY: ReadonlySet<string> = new Set(['test', 'describe']);
const IS_LEFT_OUT_BY: ReadonlySet<string> = new Set(['skip', 'skipIf', 'runIf', 'todo']);

/** The titles that a source gives to tests and groups of tests which are run whenever it is. */
async function titlesIn(source: string): Promise<readonly string[]> {
  const { code } = await transformWithEsbuild(source, 'source.ts', { sourcemap: false });
  const withoutBigInts = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
  return titlesBelow(toJson(JSON.parse(JSON.stringify(parseAst(code), withoutBigInts))));
}

function titlesBelow(node: Json): readonly string[] {
  if (isJsonList(node)) return node.flatMap(titlesBelow);
  if (!isJsonObject(node)) return [];
  const below = (): readonly string[] => Object.values(node).flatMap(titlesBelow);
  const [called = '', ...how] = node['type'] === 'CallExpression' ? wordsOf(node['callee']) : [];
  if (!IS_RUN_BY.has(called)) return below();
  if (how.some((word) => IS_LEFT_OUT_BY.has(word))) return [];
  const title = at(node, '/arguments/0/value');
  return typeof title === 'string' ? [title, ...below()] : below();
}

/** What is called, word by word: `test.concurrent.each(rows)` is `test`, `concurrent`, `each`. */
function wordsOf(callee: Json | undefined): readonly string[] {
  if (!isJsonObject(callee)) return [];
  const { type, name, object, property, callee: inner } = callee;
  if (type === 'Identifier' && typeof name === 'string') return [name];
  if (type === 'MemberExpression') return [...wordsOf(object), ...wordsOf(property)];
  return type === 'CallExpression' ? wordsOf(inner) : [];
}

describe('the titles of tests', () => {
  test.each([
    ["test('a title', () => {})", ['a title']],
    ["describe('of all', () => { test('a title', async () => {}) })", ['of all', 'a title']],
    [
      "describe.concurrent('of all', () => { test.each<number>([[1], [')']])('a title', () => {}) })",
      ['of all', 'a title'],
    ],
    ["test('a title that is longer', () => {})", ['a title that is longer']],
    ["test.skip('a title', () => {}); test.todo('a title'); test.skip.each([1])('a title', () => {})", []],
    ["describe.skip('of all', () => { test('a title', () => {}) })", []],
    ["// test('a title', () => {})\nconst said = 'a title'; say('a title')", []],
  ])('the check of quoted test titles finds the titles in %s', async (source, titles) => {
    expect(await titlesIn(source)).toEqual(titles);
  });
});

describe('docs/failure-semantics.md', () => {
  test('docs/failure-semantics.md has a table with rows', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test.each(rows.map(([, what = '', , , proof = '']) => ({ what, proofs: proofsIn(proof) })))(
    'docs/failure-semantics.md names existing tests: $what',
    async ({ proofs }) => {
      expect(proofs).not.toEqual([]);
      for (const { path, title } of proofs) {
        expect(existsSync(fileOf(path)), `${path} is there`).toBe(true);
        expect(await titlesIn(readFileSync(fileOf(path), 'utf8'))).toContain(title);
      }
    },
  );
});
