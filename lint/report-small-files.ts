import { readFileSync } from 'node:fs';
import { readSources } from '../test/support/readers/source-files.ts';
import { findSmallFiles } from './small-files.ts';

/* Prints small files with a single user: `npm run report:small-files`. It fails nothing, as some of them are right. */

for (const folder of ['src', 'console/src']) {
  const linesOf = (path: string): number =>
    readFileSync(new URL(`../${folder}/${path}`, import.meta.url), 'utf8').split('\n').length - 1;
  const small = findSmallFiles(readSources(folder), linesOf);
  process.stdout.write(`${folder}: ${small.length} files of less than 40 lines have a single user\n`);
  for (const { path, lines, user } of small)
    process.stdout.write(`  ${String(lines).padStart(2)}  ${folder}/${path}  used by ${user}\n`);
}
