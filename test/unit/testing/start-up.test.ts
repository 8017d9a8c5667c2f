import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/* What a file of tests pays before its first run. */
const LIST_PACKAGES = `
  import { createRequire } from 'node:module';
  await import(process.argv[1]);
  const files = Object.keys(createRequire(process.argv[1]).cache);
  process.stdout.write(JSON.stringify(files.flatMap((file) => /node_modules\\/(@?[^/]+)/.exec(file)?.[1] ?? [])));
`;

test('the test kit loads no code of Temporal and no database', async () => {
  const kit = new URL('../../../src/testing/index.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    LIST_PACKAGES,
    kit,
  ]);
  const loaded: readonly string[] = JSON.parse(stdout);
  expect(loaded).toContain('fastest-levenshtein');
  expect(loaded.filter((name) => ['@temporalio', 'pg', '@electric-sql', 'hono', '@ai-sdk'].includes(name))).toEqual([]);
});
