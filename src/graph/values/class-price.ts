/** What a class of characters may hold: properties, named classes, escapes, any other character. */
const ELEMENT = /\\[pP]\{[^}]*\}|\\[pP][^]|\[:[^\]]*\]|\\x\{[^}]*\}|\\x[^]{2}|\\[0-7]{1,3}|\\[^]|[^]/gu;

const PROPERTY = /^\\[pP]/;
const NAMED = /^(?:\\[dDsSwW]|\[:)/;

/** In units: the table of a property has hundreds of ranges, and as many more for its characters in the other case. */
const PER_PROPERTY = 2_000;
const PER_PROPERTY_IN_ANY_CASE = 5_000;
const PER_NAMED_IN_ANY_CASE = 300;
const PER_RANGE = 20;
/** Without regard to case each character of a range is looked up. */
const CHARACTERS_PER_UNIT = 2;
/** No character beyond has another case. */
const LAST_WITH_CASES = 0x1_e9_43;

/**
 * Estimates what it costs to compile a class of characters, or one character.
 * @param token as it stands in a pattern, a class with its brackets
 * @returns units of the meter
 */
export function priceOfClass(token: string, ignoresCase: boolean): number {
  const elements = token.match(ELEMENT) ?? [];
  return elements.reduce((sum, element, at) => {
    if (PROPERTY.test(element)) return sum + (ignoresCase ? PER_PROPERTY_IN_ANY_CASE : PER_PROPERTY);
    if (ignoresCase && NAMED.test(element)) return sum + PER_NAMED_IN_ANY_CASE;
    const from = element === '-' ? elements[at - 1] : undefined;
    const to = element === '-' ? elements[at + 1] : undefined;
    const width = from === undefined || to === undefined ? 1 : widthOf(codePointOf(from), codePointOf(to));
    return sum + PER_RANGE + (ignoresCase ? Math.ceil(width / CHARACTERS_PER_UNIT) : 0);
  }, 0);
}

function widthOf(from: number, to: number): number {
  return Math.max(1, Math.min(to, LAST_WITH_CASES) - from);
}

/** Escapes other than by number stand for characters of ASCII. */
function codePointOf(element: string): number {
  if (element.startsWith('\\x')) return Number.parseInt(element.replaceAll(/[^0-9a-fA-F]/g, ''), 16) || 0;
  if (/^\\[0-7]/.test(element)) return Number.parseInt(element.slice(1), 8);
  return element.codePointAt(element.startsWith('\\') ? 1 : 0) ?? 0;
}
