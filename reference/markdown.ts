/* Markdown, made of values. `oxfmt` gives it its final look. */

/** Writes a table. Cells are Markdown; the first row has the titles. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** Puts a text into code quotes. */
export function code(text: string): string {
  return `\`${text}\``;
}

/** Joins the parts of a page with empty lines between; parts that are empty are left out. */
export function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Names in code quotes, with commas between. */
export function listOf(names: readonly string[]): string {
  return names.map(code).join(', ');
}
