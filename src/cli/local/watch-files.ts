import { extname, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { messageOf } from '../../graph/values/index.ts';

/** A folder whose files are watched. */
interface Watched {
  readonly root: string;
  /** Folders that are left out, besides those of packages and hidden ones. */
  readonly without: readonly string[];
  /** True of a file that may be a graph. Other JSON that is new counts as an output, such as what curl has saved. */
  readonly isGraph: (path: string) => boolean;
  /** Is given the files that have changed, not again before it has ended. */
  readonly changed: (files: readonly string[]) => Promise<void>;
  /** Is told why a file can't be watched, such as a limit of the system; the others are. */
  readonly failed: (problem: string) => void;
}

/** Files that change together are reported together. */
const TOGETHER_MS = 50;

/** Reports changes of modules and of JSON, except JSON that others write meanwhile. Resolves when it watches. @returns a function that ends it */
export async function watchFiles({ root, without, isGraph, changed, failed }: Watched): Promise<() => Promise<void>> {
  const waiting = new Set<string>();
  const outputs = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const report = (): void => {
    last = last.then(async () => {
      const files = [...waiting];
      waiting.clear();
      if (files.length > 0) await changed(files);
    });
  };
  const watcher = watch(root, { ignored: (path) => isLeftOut(path, root, without), ignoreInitial: true });
  watcher.on('all', (event, path) => {
    if (event.endsWith('Dir') || !WATCHED.has(extname(path))) return;
    if (event === 'add' && extname(path) === '.json' && !isGraph(path)) outputs.add(path);
    if (outputs.has(path)) return;
    waiting.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, TOGETHER_MS);
  });
  watcher.on('error', (error) => failed(messageOf(error)));
  await new Promise<void>((resolve) => watcher.once('ready', () => resolve()));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
    await last;
  };
}

const WATCHED: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']);

function isLeftOut(path: string, root: string, without: readonly string[]): boolean {
  if (without.some((folder) => path === folder || path.startsWith(`${folder}${sep}`))) return true;
  return relative(root, path)
    .split(sep)
    .some((part) => part === 'node_modules' || (part.startsWith('.') && part !== '..'));
}
