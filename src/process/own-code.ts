import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/* The engine's code is TypeScript, which `tsx` runs, or the JavaScript that `npm run build` has made of it. */

const EXTENSION = extname(import.meta.url);

/** True in what `npm run build` has made. */
export const isBuilt = EXTENSION === '.js';

/**
 * Gives the path of a module of the engine.
 * @param name its relative path, without an extension
 * @param moduleUrl the module that the path is relative to
 */
export function ownModule(name: string, moduleUrl: string): string {
  return fileURLToPath(new URL(`${name}${EXTENSION}`, moduleUrl));
}

/** Gives the options of Node for a process that runs the engine's code. */
export function ownNodeOptions(): readonly string[] {
  return isBuilt ? [] : ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
}
