import { abbreviate, escapeInvisible } from '../../graph/values/index.ts';

const MAX_CELL = 60;

/** Formats rows as columns with headings. Long cells are truncated. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows.map((row) => row.map(formatCell))];
  const widths = heads.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${lines.map(toLine).join('\n')}\n`;
}

function formatCell(text: string): string {
  return escapeInvisible(abbreviate(text, MAX_CELL).replaceAll('\n', ' '));
}
