import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { workflowCode } from '../../src/workers/workflow-code.ts';

/* The workflow bundle of all stacks in these tests. */

test('the workflow process loads the interpreter once before the first run', async () => {
  const bundle = await readFile(process.env['HOLDFAST_WORKFLOW_BUNDLE'] ?? '', 'utf8');
  const preload = /exports\.preloadModules = function preloadModules\(\) \{([^}]*)\}/.exec(bundle)?.[1] ?? '';
  const loaded = [...preload.matchAll(/__webpack_require__\([^"]*"eager"[^"]*"\.\/([^"]+)"\)/g)].map(
    ([, path]) => path,
  );
  const wanted = workflowCode.preloadModules.map((path) => relative('.', path));
  expect(loaded).toEqual(wanted);
});
