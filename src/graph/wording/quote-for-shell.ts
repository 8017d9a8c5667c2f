/** Quotes a text for a POSIX shell: people copy commands, and the text may come from outside. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
