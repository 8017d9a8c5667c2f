import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';

/** An import, or a re-export from another file. */
export interface Import {
  /** A path below the source folder, or a package. */
  readonly target: string;
  readonly isLocal: boolean;
  readonly isType: boolean;
}

export interface SourceFile {
  /** The path below the source folder. */
  readonly path: string;
  readonly imports: readonly Import[];
}

const STATEMENT = /^(?:import|export) (?<type>type )?(?:[\w*$,{}\s]+ from )?'(?<from>[^']+)';$/gm;
const DYNAMIC = /\bimport\('(?<from>[^']+)'\)/g;

/** Every source file of a folder with its imports; oxfmt ensures a uniform format of the statements. */
export function readSources(folder = 'src'): readonly SourceFile[] {
  const root = new URL(`../../../${folder}/`, import.meta.url);
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return paths
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => path.split('\\').join('/'))
    .toSorted()
    .map((path) => ({ path, imports: importsIn(path, readFileSync(new URL(path, root), 'utf8')) }));
}

export function importsIn(path: string, source: string): readonly Import[] {
  return [...source.matchAll(STATEMENT), ...source.matchAll(DYNAMIC)].map(({ groups = {} }) => {
    const from = groups['from'] ?? '';
    const isLocal = from.startsWith('.');
    const target = isLocal ? posix.join(posix.dirname(path), from) : from;
    return { target, isLocal, isType: groups['type'] !== undefined };
  });
}

/** Returns the first circle of imports as a path. */
export function findCircle(arrows: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): readonly string[] | null => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return null;
    for (const next of arrows.get(name) ?? []) {
      const found = visit(next, [...way, name]);
      if (found) return found;
    }
    done.add(name);
    return null;
  };
  for (const name of arrows.keys()) {
    const found = visit(name, []);
    if (found) return found;
  }
  return null;
}
