import { abbreviate, escapeInvisible } from '../../graph/values/index.ts';

const MAX_CELL = 60;

/** Lays rows out in columns below their heads. Long cells are cut. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = [heads, ...rows.map((row) => row.map(toCell))];
  const widths = heads.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${shown.map(toLine).join('\n')}\n`;
}

function toCell(text: string): string {
  return escapeInvisible(abbreviate(text, MAX_CELL).replaceAll('\n', ' '));
}
