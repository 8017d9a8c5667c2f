import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test.each(['.', 'bench', 'docs/.vitepress'])('the lockfile of %s has no address of a registry', (folder) => {
  expect(read(`${folder}/package-lock.json`)).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
});
