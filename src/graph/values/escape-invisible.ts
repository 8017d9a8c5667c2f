/** Escapes control characters but the end of a line: text from outside is not trusted and could move the cursor. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(/[^\P{C}\n]/gu, (letter) => `\\u{${letter.codePointAt(0)?.toString(16) ?? ''}}`);
}
