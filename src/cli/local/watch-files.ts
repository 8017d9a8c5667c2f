import { extname, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import { messageOf } from '../../graph/values/index.ts';

/** A watched folder. */
interface WatchedFolder {
  readonly root: string;
  /** Folders to ignore, in addition to packages and hidden folders. */
  readonly without: readonly string[];
  /** Receives the changed files; it is not called again before it has ended. */
  readonly changed: (files: readonly string[]) => Promise<void>;
  /** Receives the reason why a file can't be watched, such as a system limit; other files are still watched. */
  readonly failed: (problem: string) => void;
}

export interface FileWatcher {
  /** Resolves when changes are noticed. */
  readonly ready: Promise<void>;
  /** Watches files outside the folder, too. */
  add(files: readonly string[]): void;
  close(): Promise<void>;
}

/** Changes within this time are reported together. */
const TOGETHER_MS = 50;

/** Reports changes of modules and JSON files. */
export function watchFiles({ root, without, changed, failed }: WatchedFolder): FileWatcher {
  const waiting = new Set<string>();
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
    waiting.add(path);
    clearTimeout(timer);
    timer = setTimeout(report, TOGETHER_MS);
  });
  watcher.on('error', (error) => failed(messageOf(error)));
  return {
    ready: new Promise<void>((resolve) => watcher.once('ready', () => resolve())),
    add: (files) => void watcher.add([...files]),
    async close() {
      clearTimeout(timer);
      await watcher.close();
      await last;
    },
  };
}

const WATCHED: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json']);

function isLeftOut(path: string, root: string, without: readonly string[]): boolean {
  if (without.some((folder) => path === folder || path.startsWith(`${folder}${sep}`))) return true;
  return relative(root, path)
    .split(sep)
    .some((part) => part === 'node_modules' || (part.startsWith('.') && part !== '..'));
}
