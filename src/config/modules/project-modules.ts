import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { createRequire, register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { isBuilt, ownModule } from '../../process/own-code.ts';
import type { ImportList } from './project-hook.ts';

/** The number of calls of `forgetModules`. Modules are imported once per number. */
let currentGeneration = 0;

let registering: Promise<void> | null = null;

/** Lets modules in TypeScript be imported; the engine's own loader does if it runs from its source. */
export async function allowTypeScript(): Promise<void> {
  if (isBuilt) await (registering ??= registerTypeScript());
}

async function registerTypeScript(): Promise<void> {
  const [imports, requires] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]);
  imports.register();
  requires.register();
  register('./own-package-hook', import.meta.url);
}

let hook: Promise<MessagePort> | null = null;

/** Records what modules of the project import from now on, for `importedFiles`. */
export async function trackImports(): Promise<void> {
  await (hook ??= registerHook());
}

/** The hook has to come after the loader of TypeScript: it takes what that one has resolved. */
async function registerHook(): Promise<MessagePort> {
  await allowTypeScript();
  const { port1, port2 } = new MessageChannel();
  const options = { parentURL: import.meta.url, data: port2, transferList: [port2] };
  register(pathToFileURL(ownModule('./project-hook', import.meta.url)), options);
  port1.unref();
  return port1;
}

/** Makes the next imports reload the modules of the project; those of packages and of the engine stay loaded. */
export async function forgetModules(): Promise<void> {
  await trackImports();
  currentGeneration += 1;
  const { cache } = createRequire(import.meta.url);
  for (const file of Object.keys(cache)) if (!isForeignModule(file)) delete cache[file];
}

/** The current import URL of a module. */
export function currentUrl(moduleUrl: string): string {
  return currentGeneration === 0 ? moduleUrl : `${moduleUrl}?generation=${currentGeneration}`;
}

/**
 * Finds the files of the project that a file imports, directly or not. Imports before `trackImports` are unknown.
 * @param entry a path
 * @returns the paths of these files, with the file itself
 */
export async function importedFiles(entry: string): Promise<ReadonlySet<string>> {
  const imports = await readImports();
  const { cache } = createRequire(import.meta.url);
  const found = new Set([await realpath(entry).catch(() => entry)]);
  for (const file of found) {
    const required = cache[file]?.children.map(({ filename }) => filename) ?? [];
    for (const imported of [...(imports.get(file) ?? []), ...required])
      if (!isForeignModule(imported)) found.add(imported);
  }
  return found;
}

async function readImports(): Promise<ReadonlyMap<string, readonly string[]>> {
  const port = await (hook ??= registerHook());
  port.ref();
  port.postMessage(null);
  const [list]: ImportList[] = await once(port, 'message');
  port.unref();
  return new Map(
    (list ?? []).map(([module, imported]) => [fileURLToPath(module), imported.map((url) => fileURLToPath(url))]),
  );
}

const ENGINE = fileURLToPath(new URL('../../', import.meta.url));

/** True for a file of a package or of the engine, which is not the project's own. */
export function isForeignModule(file: string): boolean {
  return file.includes('/node_modules/') || file.startsWith(ENGINE);
}
