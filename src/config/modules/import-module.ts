import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isBuilt } from '../../process/own-code.ts';
import { currentUrl } from './fresh-modules.ts';

/**
 * Imports a module of a project, in JavaScript or TypeScript.
 * @returns its default export; without one, all that it exports
 */
export async function importModule(path: string): Promise<unknown> {
  if (isBuilt && /\.[cm]?ts$/.test(path)) await (reading ??= readTypeScript());
  const exported = defaultOf(await import(currentUrl(pathToFileURL(path).href)));
  // What a compiler has made a CommonJS module of has its exports in one.
  return isObject(exported) && '__esModule' in exported ? defaultOf(exported) : exported;
}

function defaultOf(module: unknown): unknown {
  return isObject(module) && 'default' in module ? module.default : module;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

let reading: Promise<void> | null = null;

/** Makes Node read TypeScript, which it does already where the engine runs from its source. */
async function readTypeScript(): Promise<void> {
  const [imports, requires] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]);
  imports.register();
  requires.register();
  register('./own-package-hook.js', import.meta.url);
}
