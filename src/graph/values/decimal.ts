/**
 * True if a text is a JSON number that is the same number after it was parsed to a double and written again: no digit is
 * lost.
 */
export function survivesParsing(text: string): boolean {
  const written = parseDecimal(text);
  const read = parseDecimal(String(Number(text)));
  return written !== null && read?.digits === written.digits && read.exponent === written.exponent;
}

/**
 * False for an integer that changes when it is parsed: beyond 2^53, a double keeps about 16 digits. A number with an
 * exponent is no integer: who writes one means an approximation.
 * @param digits a number of JSON, or the digits of a `bigint`
 */
export function isKeptInteger(digits: string): boolean {
  return Math.abs(Number(digits)) <= Number.MAX_SAFE_INTEGER || /e/i.test(digits) || survivesParsing(digits);
}

/** A decimal number in normal form: the same for all spellings of a number. */
interface Decimal {
  /** With the sign, without leading and trailing zeros. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

/** The number syntax of JSON (RFC 8259, section 6). */
const JSON_NUMBER_PATTERN = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function parseDecimal(text: string): Decimal | null {
  const match = JSON_NUMBER_PATTERN.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const significant = (whole + fraction).replace(/^0+/, '');
  const digits = withoutLastZeros(significant);
  if (digits === '') return { digits: '0', exponent: 0 };
  return { digits: sign + digits, exponent: Number(exponent) - fraction.length + significant.length - digits.length };
}

/** Removes trailing zeros. A regular expression would scan each run of zeros again from each of its zeros. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
