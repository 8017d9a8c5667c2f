import { abbreviate } from '../graph/values/index.ts';

/** In characters: a run shows itself after each activation, and foreign texts may have megabytes. */
const MAX_TEXT = 1_000;

/**
 * Writes a foreign text so that it stays in its line of Markdown and is shown as it is: it can pose neither as a command
 * to copy nor as a link. A long one is cut.
 */
export function inlineMarkdown(text: string): string {
  return abbreviate(text, MAX_TEXT)
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/[\\`*_[\]<>#|~&]/g, String.raw`\$&`)
    .replaceAll('://', String.raw`\://`);
}
