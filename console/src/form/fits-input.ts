import { visible } from '../parts/visible.ts';
import type { Field } from './fields-of.ts';

/** True if the input of a text shows it as it is: browsers leave out what its type does not allow. */
export function fitsInput({ kind, inputType }: Pick<Field, 'kind' | 'inputType'>, text: string): boolean {
  if (visible(text) !== text) return false;
  if (kind === 'long-text') return true;
  return !text.includes('\n') && (FITS.get(inputType)?.(text) ?? true);
}

const isTrimmed = (text: string): boolean => text === text.trim();

const FITS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['email', isTrimmed],
  ['url', isTrimmed],
]);

function isDate(text: string): boolean {
  const time = /^(?!0000)\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
