import { readFileSync } from 'node:fs';

/** Reads a file of this repository. */
export function readFile(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** The code blocks of a documentation page, in order. */
export function codeIn(page: string, language: string): readonly string[] {
  const blocks = readFile(page).matchAll(new RegExp(`^\`\`\`${language}\n(?<code>.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(({ groups }) => groups?.['code'] ?? '');
}
