import { expect, test } from 'vitest';
import { formatTable } from '../../../../src/cli/output/lists.ts';

test('a table of the CLI has aligned columns, one line for each row, and truncated cells', () => {
  const rows = [
    ['a1', 'Pay\n20?', ''],
    ['a22', 'x'.repeat(80), 'ann'],
  ];
  expect(formatTable(['ID', 'ASKS', 'BY'], rows).split('\n')).toEqual([
    `ID   ASKS${' '.repeat(59)}BY`,
    'a1   Pay 20?',
    `a22  ${'x'.repeat(60)}…  ann`,
    '',
  ]);
});
