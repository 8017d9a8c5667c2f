/**
 * Letters that are not seen, or that turn the direction of others around (Unicode Technical Report 36). What belongs to the
 * spelling of languages or to emoji, such as joiners and soft hyphens, stays.
 */
const UNSEEN =
  /[^\P{Cc}\t\n]|[\u061c\u115f\u1160\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\p{Cs}\p{Co}]/gu;

/** Writes out what a text has that is not seen; tabs and ends of lines stay. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}
