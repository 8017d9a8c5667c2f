import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Lists the packages that a file of declarations reaches, itself and by the declarations that it imports. */
export function packagesReachedBy(entry: string): readonly string[] {
  const packages = new Set<string>();
  const files = [entry];
  for (const file of files)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)) {
      if (!specifier.startsWith('.')) packages.add(specifier);
      const path = join(dirname(file), specifier).replace(/\.(?:js|ts)$/, '.d.ts');
      if (specifier.startsWith('.') && !files.includes(path) && existsSync(path)) files.push(path);
    }
  return [...packages].filter((name) => /^[@a-z]/.test(name)).toSorted();
}
