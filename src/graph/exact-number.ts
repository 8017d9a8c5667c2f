/** Whether a text is a number as JSON writes it, of which nothing is lost when it is read. */
export function isExactNumber(text: string): boolean {
  const written = partsOf(text);
  const value = Number(text);
  if (!written || Object.is(value, -0)) return false;
  const read = partsOf(String(value));
  return read?.digits === written.digits && read.exponent === written.exponent && isPrecise(value);
}

/** Whole numbers beyond these stand for their neighbors, too. */
function isPrecise(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

interface Parts {
  /** With the sign, without zeros on either side. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

function partsOf(text: string): Parts | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { digits: '0', exponent: 0 };
  return { digits: sign + digits, exponent: Number(exponent) - fraction.length + all.length - digits.length };
}
