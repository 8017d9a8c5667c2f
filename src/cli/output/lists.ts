import { abbreviate, escapeInvisible } from '../../graph/values/index.ts';
import type { Page } from '../../client/index.ts';
import type { Terminal } from '../line/command.ts';

/** How a command prints a list. */
export interface ListFormat<T> {
  /** True for a JSON array on standard output. */
  readonly json: boolean;
  /** Formats the entries for people; it is not called without any. */
  readonly format: (items: readonly T[]) => string;
  /** The sentence for an empty list. */
  readonly none: string;
}

/** Prints a part of a list on standard output, and on standard error how to go on. */
export function printList<T>(
  { items, nextCursor }: Page<T>,
  { json, format, none }: ListFormat<T>,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
): void {
  if (json) stdout.write(`${JSON.stringify(items, null, 2)}\n`);
  else if (items.length > 0) stdout.write(format(items));
  if (items.length === 0) stderr.write(`${none}\n`);
  if (nextCursor !== null) stderr.write(`There are more: add --cursor ${nextCursor}\n`);
}

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
