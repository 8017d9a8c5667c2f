import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/* Each row of docs/failure-semantics.md names tests; a test that is renamed or goes takes its row's proof with it. */

const fileOf = (path: string): URL => new URL(`../../${path}`, import.meta.url);
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

describe('docs/failure-semantics.md', () => {
  test('has rows', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  test.each(rows.map(([, what = '', , , proof = '']) => ({ what, proofs: proofsIn(proof) })))(
    'names tests that there are: $what',
    ({ proofs }) => {
      expect(proofs).not.toEqual([]);
      for (const { path, title } of proofs) {
        expect(existsSync(fileOf(path)), `${path} is there`).toBe(true);
        expect(readFileSync(fileOf(path), 'utf8')).toContain(title);
      }
    },
  );
});
