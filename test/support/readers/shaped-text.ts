/* Compares output with texts of the documentation whose ids and times differ from run to run. */

/** The variable parts and their patterns. A name stands for the same value wherever the page uses it. */
const KINDS = [
  { kind: 'name', shape: '01[0-9A-Z]{24}' },
  { kind: 'name', shape: '\\b[0-9a-f]{12}\\b' },
  { kind: 'value', shape: '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z' },
  { kind: 'value', shape: '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}' },
  { kind: 'value', shape: '\\b\\d\\d:\\d\\d:\\d\\d\\b' },
  { kind: 'value', shape: '\\b127\\.0\\.0\\.1:\\d{5}\\b' },
  { kind: 'value', shape: '\\b\\d+\\.\\d s\\b' },
  { kind: 'value', shape: '\\b\\d+ ms\\b' },
  { kind: 'value', shape: '\\bin \\d+ s\\b' },
  { kind: 'value', shape: '\\battempt=\\d+\\b' },
  { kind: 'value', shape: ':\\d+:\\d+\\b' },
  { kind: 'value', shape: 'refund_[0-9a-f]{8}' },
  { kind: 'value', shape: '\\b2\\d\\.\\d+\\.\\d+\\b' },
] as const;

const ANY = new RegExp(KINDS.map(({ shape }) => `(?:${shape})`).join('|'), 'g');

/** The names on a page, and their values in this run. */
export type Names = Map<string, string>;

/** Replaces the names in a text of the page by the values of this run. */
export function withKnownValues(text: string, names: Names): string {
  return text.replaceAll(ANY, (found) => names.get(found) ?? found);
}

/** @returns a pattern of the texts that match the page; its groups are names without a known value */
function patternOf(shown: string, names: Names): { readonly pattern: RegExp; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const parts = withKnownValues(shown, names).split(ANY);
  const found = withKnownValues(shown, names).match(ANY) ?? [];
  const source = found.map((token) => {
    const { kind, shape } = KINDS.find((each) => new RegExp(`^(?:${each.shape})$`).test(token)) ?? KINDS[0];
    if (kind === 'value') return shape;
    if ([...names.values()].includes(token)) return token;
    const known = unknown.indexOf(token);
    return known < 0 ? `(${unknown.push(token) && shape})` : `\\${known + 1}`;
  });
  const whole = parts.map((part, index) => `${escaped(part)}${source[index] ?? ''}`).join('');
  return { pattern: new RegExp(`^${whole}$`), unknown };
}

/** An ellipsis in the page stands for omitted text. */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('…', '[^]*?');
}

/** True if a text matches the page. Values of new names are stored. */
export function matchesPage(text: string, shown: string, names: Names): boolean {
  const { pattern, unknown } = patternOf(shown, names);
  const match = pattern.exec(text);
  unknown.forEach((name, index) => {
    const real = match?.[index + 1];
    if (real !== undefined) names.set(name, real);
  });
  return match !== null;
}
