import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { realpathSync, readFileSync } from 'node:fs';
import { toJsonObject, toTemplateText } from '../graph/values/index.ts';

/* The engine runs from TypeScript with `tsx`, or from the JavaScript of `npm run build`. */

const EXTENSION = extname(import.meta.url);

/** True in the output of `npm run build`. */
export const isBuilt = EXTENSION === '.js';

/**
 * Returns the path of a module of the engine.
 * @param name its relative path, without an extension
 * @param moduleUrl the module that the path is relative to
 */
export function ownModule(name: string, moduleUrl: string): string {
  return fileURLToPath(new URL(`${name}${EXTENSION}`, moduleUrl));
}

/** Returns Node's options for a process that runs the engine's code. */
export function ownNodeOptions(): readonly string[] {
  return isBuilt ? [] : ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href];
}

/** True in the module that started the process. */
export function isMain(moduleUrl: string): boolean {
  const [, entry] = process.argv;
  return entry !== undefined && realpathSync(entry) === fileURLToPath(moduleUrl);
}

/** Returns the version of this package. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return toTemplateText(toJsonObject(JSON.parse(text))['version'] ?? '');
}
