import { expect, test } from 'vitest';
import { findSmallFiles } from '../../../lint/small-files.ts';
import { importsIn } from '../../support/readers/source-files.ts';

const SOURCES: Readonly<Record<string, string>> = {
  'runs/start.ts': "import { a } from './part.ts';\nimport { b } from './shared.ts';\nimport { c } from './long.ts';",
  'runs/stop.ts': "import type { B } from './shared.ts';\nimport { d } from '../store/index.ts';",
  'runs/part.ts': '',
  'runs/shared.ts': '',
  'runs/long.ts': '',
  'store/index.ts': "export { d } from './runs.ts';",
  'store/runs.ts': '',
  'graph/validate/validate-graph.ts': "import { rule } from './rules/one.ts';",
  'graph/validate/rules/one.ts': '',
};

test('a small source file is reported with its only user, unless it is an index, behind an index, a rule or an entry', () => {
  const files = Object.entries(SOURCES).map(([path, source]) => ({ path, imports: importsIn(path, source) }));
  expect(findSmallFiles(files, (path) => (path === 'runs/long.ts' ? 40 : 39))).toEqual([
    { path: 'runs/part.ts', lines: 39, user: 'runs/start.ts' },
  ]);
});
