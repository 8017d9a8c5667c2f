import { readFileSync } from 'node:fs';
import { toJsonObject, toText } from '../graph/values/index.ts';

/** Returns the version of this package. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return toText(toJsonObject(JSON.parse(text))['version'] ?? '');
}
