import { readFileSync } from 'node:fs';

/** The text of a file of this repository. */
export function readFile(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
}

/** The blocks of code in a page of the documentation, in order. */
export function codeIn(page: string, language: string): readonly string[] {
  const blocks = readFile(page).matchAll(new RegExp(`^\`\`\`${language}\n(?<code>.*?)^\`\`\`$`, 'gms'));
  return [...blocks].map(({ groups }) => groups?.['code'] ?? '');
}
