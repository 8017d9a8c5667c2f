/**
 * Writes a foreign text so that it stays in its line of Markdown and is shown as it is: it can pose neither as a command
 * to copy nor as a link.
 */
export function inlineMarkdown(text: string): string {
  return text
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>#|~&]/g, String.raw`\$&`)
    .replaceAll('://', String.raw`\://`);
}
