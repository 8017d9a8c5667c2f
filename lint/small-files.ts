import { posix } from 'node:path';
import type { SourceFile } from '../test/support/readers/source-files.ts';

/** A file that may be better part of the only one that imports it. */
export interface SmallFile {
  readonly path: string;
  readonly lines: number;
  readonly user: string;
}

const LINES = 40;

/** Entries of the package, and folders in which each file is one of many alike that stand in a table. */
const KEPT = ['run-api.ts', 'run-worker.ts', 'graph/validate/rules/', 'graph/definition/node-types/', 'graph/nodes/'];

/**
 * Finds files of less than 40 lines that one other file imports, by this file. Faces (`index.ts`), files that a face exports,
 * entries, validation rules and node types are small with a reason.
 */
export function findSmallFiles(files: readonly SourceFile[], linesOf: (path: string) => number): readonly SmallFile[] {
  return files
    .filter(({ path }) => !isFace(path) && !KEPT.some((kept) => path.startsWith(kept)))
    .flatMap(({ path }) => {
      const [user, ...others] = files.filter(({ imports }) => imports.some(({ target }) => target === path));
      const lines = linesOf(path);
      if (!user || others.length > 0 || isFace(user.path) || lines >= LINES) return [];
      return [{ path, lines, user: user.path }];
    })
    .toSorted((a, b) => a.user.localeCompare(b.user) || a.path.localeCompare(b.path));
}

function isFace(path: string): boolean {
  return /^index\.tsx?$/.test(posix.basename(path));
}
