const STEP = '  ';

/** The spaces that the line behind a text begins with. */
export function indentAfter(before: string): string {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const own = /^ */.exec(line)?.[0] ?? '';
  return /[{[]\s*$/.test(line) ? `${own}${STEP}` : own;
}
